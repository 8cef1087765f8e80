import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { CallOutcome, ReportedCall } from '../store/call-writes.ts';
import type { Commit } from '../store/calls.ts';
import type { Store } from '../store/store.ts';

const EXECUTION_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
const COMMIT_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const CALLS_BUCKETS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000];

/** Shown as 0 from the start, so that the first of each is seen as a rise. */
const OUTCOMES = [
  { outcome: 'success' },
  { outcome: 'failure' },
  { outcome: 'duplicate' },
  ...['unknown_tool', 'too_old', 'in_future', 'invalid'].map((reason) => ({
    outcome: 'refused',
    reason,
  })),
];

/** Calls and the commits that record them; no label names a tool, whose number has no bound. */
export function createCallMetrics(registry: Registry, store: Store) {
  const registers = [registry];
  const total = new Counter({
    name: 'toolcrib_calls_total',
    help: 'Calls reported, by outcome: success, failure, duplicate, or refused with its reason',
    labelNames: ['outcome', 'reason'],
    registers,
  });
  for (const labels of OUTCOMES) total.inc(labels, 0);
  const execution = new Histogram({
    name: 'toolcrib_call_execution_seconds',
    help: 'Execution time of the calls recorded, as reported',
    buckets: EXECUTION_BUCKETS,
    registers,
  });
  const calls = new Histogram({
    name: 'toolcrib_commit_calls',
    help: 'Calls that shared a transaction',
    buckets: CALLS_BUCKETS,
    registers,
  });
  const commit = new Histogram({
    name: 'toolcrib_commit_duration_seconds',
    help: 'Time of a transaction that records calls, the wait for its turn included',
    buckets: COMMIT_BUCKETS,
    registers,
  });
  new Gauge({
    name: 'toolcrib_calls_waiting',
    help: 'Calls that wait to be written',
    registers,
    collect() {
      this.set(store.calls.waitingCalls());
    },
  });

  store.calls.observe({
    committed({ reports, outcomes, seconds }: Commit): void {
      let size = 0;
      for (const [at, report] of reports.entries()) {
        size += report.calls.length;
        for (const [index, call] of report.calls.entries()) {
          const outcome = outcomes[at]?.[index];
          if (outcome === undefined) continue;
          total.inc(labelsOf(outcome, call));
          if (outcome.status === 'recorded') execution.observe(call.execution_time_ms / 1000);
        }
      }
      calls.observe(size);
      commit.observe(seconds);
    },
  });
  return {
    refuseInvalid: (): void => total.inc({ outcome: 'refused', reason: 'invalid' }),
  };
}

function labelsOf(outcome: CallOutcome, { success }: ReportedCall) {
  if (outcome.status === 'refused') return { outcome: 'refused', reason: outcome.reason };
  if (outcome.status === 'duplicate') return { outcome: 'duplicate' };
  return { outcome: success ? 'success' : 'failure' };
}
