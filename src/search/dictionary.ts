import { growingBytes, growingWords, push, reserve } from './growing.ts';

const SPACE = 0x20;
/** Room for a string. */
const STRING_BYTES = 16;

/** Byte strings and their numbers, from 0 in the order of their coming; far smaller than a Map. */
export type Dictionary = ReturnType<typeof createDictionary>;

/** No string may hold a space: it stands between them, so that a search never runs across two. */
export function createDictionary(expected = 0) {
  const bytes = growingBytes(expected * STRING_BYTES);
  const starts = growingWords(expected);
  const hashes = growingWords(expected);
  // Open addressing over a power of two; 0 is free, else number + 1.
  let table = new Uint32Array(1024);

  function length(number: number): number {
    return start(number + 1) - start(number) - 1;
  }

  function start(number: number): number {
    return number < starts.length ? (starts.values[number] as number) : bytes.length;
  }

  function isAt(number: number, source: Uint8Array, from: number, to: number): boolean {
    if (length(number) !== to - from) return false;
    const { values } = bytes;
    for (let at = start(number), other = from; other < to; at += 1, other += 1) {
      if (values[at] !== source[other]) return false;
    }
    return true;
  }

  /** The place in the table of this string, or the free one where it would be. */
  function placeOf(hash: number, source: Uint8Array, from: number, to: number): number {
    const mask = table.length - 1;
    for (let place = hash & mask; ; place = (place + 1) & mask) {
      const entry = table[place] as number;
      if (entry === 0) return place;
      if (hashes.values[entry - 1] === hash && isAt(entry - 1, source, from, to)) return place;
    }
  }

  function grow(): void {
    table = new Uint32Array(table.length * 2);
    const mask = table.length - 1;
    for (let number = 0; number < starts.length; number += 1) {
      let place = (hashes.values[number] as number) & mask;
      while (table[place] !== 0) place = (place + 1) & mask;
      table[place] = number + 1;
    }
  }

  return {
    get size() {
      return starts.length;
    },
    start,
    length,

    /** The number of `source` from `from` up to `to`, a new one when it was not known. */
    intern(source: Uint8Array, from: number, to: number): number {
      const hash = hashOf(source, from, to);
      const place = placeOf(hash, source, from, to);
      const entry = table[place] as number;
      if (entry !== 0) return entry - 1;
      const number = starts.length;
      push(starts, bytes.length);
      push(hashes, hash);
      reserve(bytes, bytes.length + to - from + 1);
      for (let at = from; at < to; at += 1) {
        bytes.values[bytes.length] = source[at] as number;
        bytes.length += 1;
      }
      bytes.values[bytes.length] = SPACE;
      bytes.length += 1;
      table[place] = number + 1;
      if (starts.length * 2 > table.length) grow();
      return number;
    },

    /** The number of a string, undefined when it is not known. */
    find(source: Uint8Array): number | undefined {
      const entry = table[placeOf(hashOf(source, 0, source.length), source, 0, source.length)];
      return entry ? entry - 1 : undefined;
    },

    text(number: number): string {
      return view().toString('utf8', start(number), start(number) + length(number));
    },

    /** All strings, each with a space behind it. Not to be kept: it moves when it grows. */
    view,

    /** The number of the string around the place `at` of the view; `low` is at or before it. */
    numberAt(at: number, low: number): number {
      let [from, step] = [low, 1];
      while (from + step < starts.length && start(from + step) <= at) {
        from += step;
        step *= 2;
      }
      let to = Math.min(starts.length, from + step);
      while (to - from > 1) {
        const middle = (from + to) >>> 1;
        if (start(middle) <= at) from = middle;
        else to = middle;
      }
      return from;
    },
  };

  function view(): Buffer {
    return Buffer.from(bytes.values.buffer, 0, bytes.length);
  }
}

/** FNV-1a with a last mix, as an unsigned 32-bit number. */
function hashOf(source: Uint8Array, from: number, to: number): number {
  let hash = 0x811c9dc5;
  for (let at = from; at < to; at += 1) {
    hash = Math.imul(hash ^ (source[at] as number), 0x01000193);
  }
  return (hash ^ (hash >>> 15)) >>> 0;
}
