import { validationError } from '../errors.ts';
import { maskedError } from '../mask-secrets.ts';
import { parseRfc3339 } from '../rfc3339-time.ts';
import type { BulkCall, Call } from '../schemas/call.ts';
import type { CallOutcome, ReportedCall } from '../store/call-writes.ts';
import type { Store } from '../store/store.ts';

/** Calls that are handed to the store at once: more would hold up everyone else's. */
const SLICE = 1_000;

/** What became of each call of a report. */
export interface CallItem {
  index: number;
  status: CallOutcome['status'];
  reason?: string;
  detail?: string;
}

export interface RecordedCalls {
  recorded: number;
  duplicate: number;
  refused: number;
  items: CallItem[];
}

/**
 * Records calls of one tool; what is taken is on disk when it resolves.
 * @throws AppError ValidationError for a time that does not exist; nothing is recorded then.
 */
export function recordToolCalls(
  store: Store,
  reporter: string,
  tool_id: string,
  calls: readonly Call[],
): Promise<RecordedCalls> {
  return recordCalls(
    store,
    reporter,
    calls.map((call) => ({ ...call, tool_id })),
  );
}

/**
 * Records calls of many tools: good ones land, also when others are refused.
 * @throws AppError ValidationError when a call names no tool, or a time that does not exist.
 */
export async function recordCalls(
  store: Store,
  reporter: string,
  calls: readonly BulkCall[],
): Promise<RecordedCalls> {
  const now = Date.now();
  const reported = calls.map((call, index) => {
    const result = reportedCall(call, now);
    if ('call' in result) return result.call;
    const { field, reason } = result.fault;
    throw validationError('Invalid request body', [
      { field: `calls[${index}]${field && `.${field}`}`, reason },
    ]);
  });
  const outcomes: CallOutcome[] = [];
  for (let at = 0; at < reported.length; at += SLICE) {
    const slice = reported.slice(at, at + SLICE);
    outcomes.push(...(await store.calls.record({ reporter, calls: slice })));
  }
  return summary(outcomes.map((outcome, index) => ({ index, ...outcome })));
}

/** Counts the items by status. */
function summary(items: CallItem[]): RecordedCalls {
  const count = (status: CallItem['status']) =>
    items.reduce((sum, item) => sum + Number(item.status === status), 0);
  return {
    recorded: count('recorded'),
    duplicate: count('duplicate'),
    refused: count('refused'),
    items,
  };
}

/** A call as the store takes it, or why its body is wrong. `now` is the time of one without. */
export function reportedCall(
  { tool_id, name, timestamp, execution_time_ms, success, error, caller, call_id }: BulkCall,
  now: number,
): { call: ReportedCall } | { fault: { field: string; reason: string } } {
  const time = timestamp === undefined ? now : parseRfc3339(timestamp);
  if (time === undefined) {
    return { fault: { field: 'timestamp', reason: 'Timestamp must be a day that exists' } };
  }
  const call = {
    timestamp: time,
    execution_time_ms,
    success,
    error: error === undefined || error === '' ? null : maskedError(error),
    caller: caller ?? null,
    call_id: call_id ?? null,
  };
  if (tool_id !== undefined && name === undefined) return { call: { ...call, tool_id } };
  if (name !== undefined && tool_id === undefined) return { call: { ...call, name } };
  return { fault: { field: '', reason: 'A call must have tool_id or name, and not both' } };
}
