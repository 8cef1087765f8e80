import { wireTime } from '../catalogue/wire-time.ts';
import type { CallFilter, StoredCall } from '../store/calls.ts';
import type { Store } from '../store/store.ts';

const SLICE = 1_000;

/** A call as the history shows it; what was not given is left out. */
export function shownCall(call: StoredCall) {
  return {
    tool_id: call.tool_id,
    timestamp: wireTime(call.timestamp),
    execution_time_ms: call.execution_time_ms,
    success: call.success === 1,
    ...(call.error !== null && { error: call.error }),
    ...(call.caller !== null && { caller: call.caller }),
    ...(call.call_id !== null && { call_id: call.call_id }),
    reporter: call.reporter,
  };
}

/** All kept calls that match as lines of JSON, the oldest first, in constant memory. */
export async function* exportCalls(store: Store, filter: CallFilter): AsyncGenerator<string> {
  let last: StoredCall | undefined;
  for (;;) {
    const calls = await store.calls.after(last, filter, SLICE);
    if (calls.length === 0) return;
    yield calls.map((call) => `${JSON.stringify(shownCall(call))}\n`).join('');
    last = calls.at(-1);
  }
}
