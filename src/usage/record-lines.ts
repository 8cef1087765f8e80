import { isUtf8 } from 'node:buffer';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError } from '../errors.ts';
import { readLines } from '../lines.ts';
import type { BulkCall } from '../schemas/call.ts';
import type { ReportedCall } from '../store/call-writes.ts';
import type { Store } from '../store/store.ts';
import { type CallItem, type RecordedCalls, reportedCall } from './record-calls.ts';

const MAX_LINE = 64 * 1024;
const SLICE = 500;
/** After so long everyone else has a turn, since lines that are no calls wait for nothing. */
const TURN_MS = 10;
/** Of more calls than this that were not recorded, only the first are listed. */
const MAX_ITEMS = 10_000;

/** The call of one line, or why it is none. */
export type LineParser = (line: Buffer) => { call: BulkCall } | { detail: string };

/**
 * Records calls that come as lines, in constant memory: each slice is on disk before the next is
 * read. Lines that are no calls are refused, the others land. `items` lists what was not recorded.
 * @throws AppError PayloadTooLargeError behind 64 MiB; what came before is recorded.
 */
export async function recordLines(
  store: Store,
  reporter: string,
  chunks: AsyncIterable<Buffer>,
  parse: LineParser,
  onInvalid: () => void,
): Promise<RecordedCalls> {
  const result: RecordedCalls = { recorded: 0, duplicate: 0, refused: 0, items: [] };
  let slice: { index: number; call: ReportedCall }[] = [];
  let index = 0;

  function note(item: CallItem): void {
    result[item.status] += 1;
    if (item.status !== 'recorded' && result.items.length < MAX_ITEMS) result.items.push(item);
  }

  async function write(): Promise<void> {
    const calls = slice.map(({ call }) => call);
    const outcomes = await store.calls.record({ reporter, calls });
    for (const [at, outcome] of outcomes.entries()) {
      note({ index: slice[at]?.index ?? 0, ...outcome });
    }
    slice = [];
  }

  const tooLarge = () => {
    const { recorded, duplicate, refused } = result;
    const counts = { recorded, duplicate, refused };
    return new AppError('PayloadTooLargeError', 'A stream of calls has at most 64 MiB', counts);
  };
  const limits = { maxLine: MAX_LINE, tooLarge };
  let turn = performance.now();
  for await (const line of readLines(chunks, limits)) {
    const taken = takenCall(line, parse);
    if ('call' in taken) slice.push({ index, call: taken.call });
    else {
      note({ index, status: 'refused', reason: 'invalid', detail: taken.detail });
      onInvalid();
    }
    index += 1;
    if (slice.length === SLICE) await write();
    if (performance.now() - turn > TURN_MS) {
      await nextTurn();
      turn = performance.now();
    }
  }
  if (slice.length > 0) await write();
  result.items.sort((a, b) => a.index - b.index);
  return result;
}

function takenCall(line: Buffer, parse: LineParser): { call: ReportedCall } | { detail: string } {
  if (line.length > MAX_LINE) return { detail: 'A line has at most 64 KiB' };
  if (!isUtf8(line)) return { detail: 'A line must be UTF-8' };
  const parsed = parse(line);
  if ('detail' in parsed) return parsed;
  const result = reportedCall(parsed.call, Date.now());
  return 'call' in result ? result : { detail: result.fault.reason };
}
