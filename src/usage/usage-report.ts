import { setImmediate as nextTurn } from 'node:timers/promises';
import { toolNotFound } from '../catalogue/get.ts';
import { wireTime } from '../catalogue/wire-time.ts';
import { validationError } from '../errors.ts';
import { givenTime } from '../given-filters.ts';
import { isShowable } from '../rfc3339-time.ts';
import { percentiles } from '../store/duration-buckets.ts';
import type { Store } from '../store/store.ts';
import { type ErrorCount, INTERVALS, type Interval, type Period } from '../store/usage.ts';
import { usageNumbers } from '../store/usage-numbers.ts';
import { addCall, emptySum, HOUR_MS, mergeSum, type Sum } from '../store/usage-sums.ts';

/** Enough for 90 days of hours. */
const MAX_BUCKETS = 4_000;
/** Minutes are summed from the calls: a day of them. */
const MAX_MINUTES = 1_440;
/** Intervals that are shown when `since` is not given. */
const DEFAULT_BUCKETS = { minute: 60, hour: 24, day: 30 } as const;
const ERRORS_SHOWN = 10;
const ERRORS_OF_BUCKET = 3;
const CALLS_AT_ONCE = 2_000;

export interface UsageQuery {
  interval: Interval;
  since?: string;
  until?: string;
}

/** @throws AppError ValidationError when the period is empty, too long or no time. */
export function periodOf({ interval, since, until }: UsageQuery, now = Date.now()): Period {
  const step = INTERVALS[interval];
  // Whole intervals: a part of one would look like a drop.
  const end = Math.ceil((givenTime('until', until) ?? now + 1) / step) * step;
  const start =
    Math.floor((givenTime('since', since) ?? end - DEFAULT_BUCKETS[interval] * step) / step) * step;
  if (!isShowable(end)) throw refused('until', 'Until must be before the last day of 9999');
  if (!isShowable(start)) throw refused('since', 'Since must not be before the year 0000');
  if (start >= end) throw refused('since', 'Since must be before until');
  const max = interval === 'minute' ? MAX_MINUTES : MAX_BUCKETS;
  if ((end - start) / step > max) {
    throw refused('since', `The period must have at most ${max} intervals; take a longer one`);
  }
  return { since: start, until: end };
}

function refused(field: string, reason: string) {
  return validationError('Invalid query parameters', [{ field, reason }]);
}

/** Calls over time, of one tool. @throws AppError NotFoundError, ValidationError. */
export async function toolUsage(store: Store, toolId: string, query: UsageQuery) {
  const period = periodOf(query);
  const tool = await store.tools.rowId(toolId);
  if (tool === undefined) throw toolNotFound(toolId);
  return { tool_id: toolId, ...(await seriesOf(store, tool, query.interval, period)) };
}

/** Calls over time of one tool (row id), or of all with `undefined`. */
export async function seriesOf(
  store: Store,
  tool: number | undefined,
  interval: Interval,
  period: Period,
) {
  const { sums, errors } =
    interval === 'minute'
      ? await minutesOf(store, tool, period)
      : {
          sums: await store.usage.series(tool, interval, period),
          errors: await store.usage.errors(tool, period),
        };
  const step = INTERVALS[interval];
  const byStart = Map.groupBy(errors, ({ start }) => start - (start % step));
  const total = emptySum();
  const buckets = [];
  for (let start = period.since; start < period.until; start += step) {
    const sum = sums.get(start);
    if (sum !== undefined) mergeSum(total, sum);
    buckets.push({
      start: wireTime(start),
      ...numbersOf(sum ?? NOTHING),
      errors: commonest(byStart.get(start) ?? [], ERRORS_OF_BUCKET),
    });
  }
  return {
    interval,
    since: wireTime(period.since),
    until: wireTime(period.until),
    totals: { ...numbersOf(total), errors: commonest(errors, ERRORS_SHOWN) },
    buckets,
  };
}

const NOTHING = emptySum();

function numbersOf(sum: Sum) {
  const { success_rate, avg_execution_time_ms } = usageNumbers({
    total_calls: sum.calls,
    successful_calls: sum.successes,
    total_execution_time_ms: sum.execution_time_ms,
  });
  const [p50 = null, p95 = null, p99 = null] = percentiles(sum.buckets, [0.5, 0.95, 0.99]);
  return {
    calls: sum.calls,
    successes: sum.successes,
    success_rate,
    avg_execution_time_ms,
    p50_execution_time_ms: p50,
    p95_execution_time_ms: p95,
    p99_execution_time_ms: p99,
  };
}

function commonest(errors: readonly ErrorCount[], limit: number) {
  const counts = new Map<string, number>();
  for (const { error, calls } of errors) counts.set(error, (counts.get(error) ?? 0) + calls);
  return [...counts]
    .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .slice(0, limit)
    .map(([error, calls]) => ({ error, calls }));
}

/** Read in slices, so that the event loop never waits for a busy day. */
async function minutesOf(store: Store, tool: number | undefined, period: Period) {
  const sums = new Map<number, Sum>();
  const errors: ErrorCount[] = [];
  let last: { timestamp: number; id: number } | undefined;
  for (;;) {
    const calls = await store.usage.callsAfter(tool, period, last, CALLS_AT_ONCE);
    for (const { timestamp, execution_time_ms, success, error } of calls) {
      const start = timestamp - (timestamp % INTERVALS.minute);
      const sum = sums.get(start) ?? emptySum();
      addCall(sum, { execution_time_ms, success: success === 1 });
      sums.set(start, sum);
      if (error !== null) errors.push({ start, error, calls: 1 });
    }
    if (calls.length < CALLS_AT_ONCE) return { sums, errors };
    last = calls.at(-1);
    await nextTurn();
  }
}

/** Whole hours around a period: what groups are summed by. */
export function wholeHours({ since, until }: Period): Period {
  return {
    since: Math.floor(since / HOUR_MS) * HOUR_MS,
    until: Math.ceil(until / HOUR_MS) * HOUR_MS,
  };
}
