import { toWords } from './words.ts';

/** The texts of a tool that relevance looks at. */
export interface RankedTexts {
  name: string;
  title: string;
  /** Tags, category and server. */
  labels: readonly string[];
  description: string;
  /** Names and descriptions of its parameters. */
  parameters: readonly string[];
}

/** The fields of RankedTexts in the order of their bits in a count. */
export const FIELDS = ['name', 'title', 'labels', 'description', 'parameters'] as const;
export type Field = (typeof FIELDS)[number];

/** How many bits the count of a field takes, and so how far it counts; together 16. */
const BITS = [2, 2, 2, 5, 5] as const;
const SHIFTS = BITS.map((_, field) => BITS.slice(0, field).reduce<number>((a, b) => a + b, 0));
const LIMITS = BITS.map((bits) => 2 ** bits - 1);

/** Of a field only its beginning ranks: a schema may be a quarter of a megabyte. */
const MAX_WORDS = 3_000;
const MAX_TEXT = 16 * 1024;

const encoder = new TextEncoder();

/** How often a word stands in a field, out of a count of all fields. */
export function countIn(counts: number, field: number): number {
  return (counts >>> (SHIFTS[field] as number)) & (LIMITS[field] as number);
}

/** Two counts of one tool together. */
export function addCounts(one: number, other: number): number {
  let sum = 0;
  for (let field = 0; field < FIELDS.length; field += 1) {
    const count = countIn(one, field) + countIn(other, field);
    sum |= Math.min(count, LIMITS[field] as number) << (SHIFTS[field] as number);
  }
  return sum;
}

/**
 * A tool's words and how often each stands in each field, for a store to keep: five bytes with the
 * lengths of the fields in words, at most 255; then for each word a byte with its length in bytes,
 * its UTF-8 and its counts in two bytes.
 */
export function encodeToolWords(texts: RankedTexts): Uint8Array {
  const counts = new Map<string, number>();
  const lengths = FIELDS.map((field, index) => {
    const one = 1 << (SHIFTS[index] as number);
    let length = 0;
    for (const text of [texts[field]].flat()) {
      if (length >= MAX_WORDS) break;
      for (const word of toWords(text.slice(0, MAX_TEXT), MAX_TEXT / 2)) {
        if (!word.whole) length += 1;
        const former = counts.get(word.text) ?? 0;
        if (countIn(former, index) < (LIMITS[index] as number)) counts.set(word.text, former + one);
      }
    }
    return Math.min(length, 255);
  });
  // A UTF-16 unit takes at most three bytes.
  let most = lengths.length;
  for (const word of counts.keys()) most += 3 * word.length + 3;
  const bytes = new Uint8Array(most);
  bytes.set(lengths);
  let at = lengths.length;
  for (const [word, count] of counts) {
    const end = writeUtf8(word, bytes, at + 1);
    bytes[at] = end - at - 1;
    bytes[end] = count & 0xff;
    bytes[end + 1] = count >>> 8;
    at = end + 2;
  }
  return bytes.slice(0, at);
}

/** @returns where it ends. Words are short and mostly ASCII: a call of the encoder for each is slow. */
function writeUtf8(word: string, bytes: Uint8Array, from: number): number {
  for (let at = 0; at < word.length; at += 1) {
    const unit = word.charCodeAt(at);
    if (unit > 0x7f) return from + encoder.encodeInto(word, bytes.subarray(from)).written;
    bytes[from + at] = unit;
  }
  return from + word.length;
}

/** Calls `visit` with each word's place in `bytes` and its counts. */
export function readToolWords(
  bytes: Uint8Array,
  visit: (from: number, to: number, counts: number) => void,
): void {
  for (let at = FIELDS.length; at < bytes.length; ) {
    const from = at + 1;
    const to = from + (bytes[at] as number);
    // What is cut off, in a damaged store, is not there.
    if (to + 2 > bytes.length) return;
    visit(from, to, (bytes[to] as number) | ((bytes[to + 1] as number) << 8));
    at = to + 2;
  }
}

/** How many words a field has, out of what `encodeToolWords` gave. */
export function lengthOf(bytes: Uint8Array, field: number): number {
  return bytes[field] ?? 0;
}
