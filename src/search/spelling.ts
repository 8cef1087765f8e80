import type { Dictionary } from './dictionary.ts';
import { growingWords, push } from './growing.ts';

/** From this length on a word may have two slips, below one; shorter words have too many neighbours. */
const TWO_SLIPS_FROM = 8;
const SHORTEST = 4;
const CORRECTABLE = /^[a-z]{4,32}$/;

export type Spelling = ReturnType<typeof createSpelling>;

/** A word of the catalogue near one that it does not know. */
export interface Correction {
  word: number;
  slips: number;
}

/**
 * Finds words of a dictionary that differ from a given one by a slip or two: a letter too much,
 * missing, another one, or two neighbours swapped. Words in other letters than a to z stay as they are.
 */
export function createSpelling(words: Dictionary) {
  // For each word which letters it has: two words that share too few cannot be near.
  const letters = growingWords();

  function follow(): void {
    const view = words.view();
    while (letters.length < words.size) {
      const start = words.start(letters.length);
      push(letters, letterSet(view, start, start + words.length(letters.length)));
    }
  }

  return {
    /** The nearest words within so many slips, those with the fewest only; none when the word cannot be corrected. */
    nearest(word: string, mostSlips: 1 | 2, isKnown: (word: number) => boolean): Correction[] {
      if (!CORRECTABLE.test(word) || (mostSlips > 1 && word.length < TWO_SLIPS_FROM)) return [];
      follow();
      const bytes = Buffer.from(word);
      const set = letterSet(bytes, 0, bytes.length);
      const view = words.view();
      let most: number = mostSlips;
      let found: Correction[] = [];
      for (let number = 0; number < words.size; number += 1) {
        const length = words.length(number);
        if (Math.abs(length - bytes.length) > most || length < SHORTEST) continue;
        const other = letters.values[number] as number;
        if (other === 0 || countOnes(other ^ set) > 2 * most) continue;
        const slips = slipsBetween(bytes, view, words.start(number), length, most);
        if (slips > most || !isKnown(number)) continue;
        if (slips < most) {
          most = slips;
          found = [];
        }
        found.push({ word: number, slips });
      }
      return found;
    },
  };
}

/** A bit for each letter; 0 when there is anything but a to z. */
function letterSet(bytes: Uint8Array, from: number, to: number): number {
  let set = 0;
  for (let at = from; at < to; at += 1) {
    const letter = (bytes[at] as number) - 0x61;
    if (letter < 0 || letter > 25) return 0;
    set |= 1 << letter;
  }
  return set;
}

function countOnes(word: number): number {
  let count = 0;
  for (let rest = word; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}

const rows = [new Uint8Array(64), new Uint8Array(64), new Uint8Array(64)];

/** Optimal string alignment distance, or more than `most` as soon as it must be. */
function slipsBetween(
  word: Uint8Array,
  view: Uint8Array,
  start: number,
  length: number,
  most: number,
): number {
  let [before, above, row] = rows as [Uint8Array, Uint8Array, Uint8Array];
  for (let column = 0; column <= length; column += 1) above[column] = column;
  for (let line = 1; line <= word.length; line += 1) {
    row[0] = line;
    let least = line;
    const letter = word[line - 1] as number;
    for (let column = 1; column <= length; column += 1) {
      const other = view[start + column - 1] as number;
      let slips = Math.min(
        (above[column] as number) + 1,
        (row[column - 1] as number) + 1,
        (above[column - 1] as number) + (letter === other ? 0 : 1),
      );
      if (
        line > 1 &&
        column > 1 &&
        letter === view[start + column - 2] &&
        word[line - 2] === other
      ) {
        slips = Math.min(slips, (before[column - 2] as number) + 1);
      }
      row[column] = slips;
      if (slips < least) least = slips;
    }
    if (least > most) return most + 1;
    [before, above, row] = [above, row, before];
  }
  return above[length] as number;
}
