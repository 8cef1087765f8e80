import { isUtf8 } from 'node:buffer';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError } from '../errors.ts';
import type { BulkCall } from '../schemas/call.ts';
import type { ReportedCall } from '../store/call-writes.ts';
import type { Store } from '../store/store.ts';
import { type CallItem, type RecordedCalls, reportedCall } from './record-calls.ts';

const MAX_BYTES = 64 * 1024 * 1024;
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

  let turn = performance.now();
  for await (const line of lines(chunks, result)) {
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

/** Lines that are not blank. Of one that is too long only so much is kept that it is seen to be. */
async function* lines(chunks: AsyncIterable<Buffer>, soFar: RecordedCalls): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  let length = 0;
  let bytes = 0;
  const take = (last: Buffer) => {
    if (parts.length === 0 && last.length <= MAX_LINE) return last;
    keep(last);
    const line = Buffer.concat(parts);
    parts = [];
    length = 0;
    return line;
  };
  const keep = (part: Buffer) => {
    if (length <= MAX_LINE) parts.push(part.subarray(0, MAX_LINE + 1 - length));
    length += part.length;
  };
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) {
      const { recorded, duplicate, refused } = soFar;
      throw new AppError('PayloadTooLargeError', 'A stream of calls has at most 64 MiB', {
        recorded,
        duplicate,
        refused,
      });
    }
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      const isEmpty = end === from && parts.length === 0;
      const line = isEmpty ? undefined : take(chunk.subarray(from, end));
      from = end + 1;
      if (line !== undefined && !isBlank(line)) yield line;
    }
    keep(chunk.subarray(from));
  }
  const last = take(Buffer.alloc(0));
  if (!isBlank(last)) yield last;
}

function isBlank(line: Buffer): boolean {
  for (const byte of line) if (byte !== 32 && byte !== 9 && byte !== 13) return false;
  return true;
}
