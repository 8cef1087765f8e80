import { isUtf8 } from 'node:buffer';
import type { Principal } from '../auth/authorize.ts';
import { AppError } from '../errors.ts';
import { readLines } from '../lines.ts';
import type { Store } from '../store/store.ts';
import { type MemoryToRemember, type RememberOutcome, remember } from './remember.ts';
import type { SecretsPolicy } from './values.ts';

const MAX_LINE = 512 * 1024;
/** Lines that are remembered at once. */
const SLICE = 64;
const MAX_ITEMS = 10_000;

export type ImportedMemories = Record<RememberOutcome | 'refused', number> & {
  /** The first that were refused, and why. */
  items: { index: number; detail: string }[];
};

/** The memory of one line. @throws AppError saying why it is none. */
export type MemoryLineParser = (line: Buffer) => MemoryToRemember;

/**
 * Remembers what comes as lines, in constant memory: each slice is on disk before the next is read.
 * What cannot be remembered is refused, the others land.
 * @throws AppError PayloadTooLargeError behind 64 MiB; what came before is kept.
 */
export function importLines(
  store: Store,
  principal: Principal,
  chunks: AsyncIterable<Buffer>,
  parse: MemoryLineParser,
  secrets: SecretsPolicy,
): Promise<ImportedMemories> {
  const tooLarge = () =>
    new AppError('PayloadTooLargeError', 'A stream of memories has at most 64 MiB');
  const lines = readLines(chunks, { maxLine: MAX_LINE, tooLarge });
  return importMemories(store, principal, lines, (line) => parsed(line, parse), secrets);
}

/** The same for items of any kind, out of which `parse` makes memories. */
export async function importMemories<Item>(
  store: Store,
  principal: Principal,
  items: Iterable<Item> | AsyncIterable<Item>,
  parse: (item: Item) => MemoryToRemember,
  secrets: SecretsPolicy,
): Promise<ImportedMemories> {
  const result: ImportedMemories = { created: 0, updated: 0, duplicate: 0, refused: 0, items: [] };
  let slice: Promise<void>[] = [];
  let index = 0;

  async function take(item: Item, place: number): Promise<void> {
    try {
      const { outcome } = await remember(store, principal, parse(item), secrets);
      result[outcome] += 1;
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500) throw error;
      result.refused += 1;
      const detail = String(error.details['reason'] ?? error.message);
      if (result.items.length < MAX_ITEMS) result.items.push({ index: place, detail });
    }
  }

  for await (const item of items) {
    slice.push(take(item, index));
    index += 1;
    if (slice.length < SLICE) continue;
    await Promise.all(slice);
    slice = [];
  }
  await Promise.all(slice);
  result.items.sort((a, b) => a.index - b.index);
  return result;
}

function parsed(line: Buffer, parse: MemoryLineParser): MemoryToRemember {
  if (line.length > MAX_LINE) throw new AppError('ValidationError', 'A line has at most 512 KiB');
  if (!isUtf8(line)) throw new AppError('ValidationError', 'A line must be UTF-8');
  return parse(line);
}
