import { type Bits, hasBit } from './bits.ts';
import { createDictionary } from './dictionary.ts';
import { growingBytes, growingWords, push } from './growing.ts';
import { createPostings } from './postings.ts';
import { stem } from './stem.ts';
import { addCounts, FIELDS, lengthOf, readToolWords } from './tool-words.ts';

/** Room for the words of a slot. */
const EACH = 96;

export type WordIndex = ReturnType<typeof createWordIndex>;

/** The words of all slots by their stems, for ranking. */
export function createWordIndex(expected = 0) {
  const words = createDictionary(expected);
  const stems = createDictionary(expected);
  // The stem of each word.
  const stemOf = growingWords();
  const postings = createPostings(expected * EACH);
  const lengths = growingBytes(expected * FIELDS.length);
  const sums = FIELDS.map(() => 0);
  const counts = new Map<number, number>();
  let live = 0;

  function stemOfNew(word: number): number {
    const bytes = Buffer.from(stem(words.text(word)));
    return stems.intern(bytes, 0, bytes.length);
  }

  return {
    words,
    stems,
    stemOf: (word: number): number => stemOf.values[word] as number,
    findStem: (text: string): number | undefined => stems.find(Buffer.from(text)),
    lists: postings.lists,

    /** Adds a slot's words, as `encodeToolWords` gave them. Slots come in ascending order. */
    add(slot: number, bytes: Uint8Array): void {
      counts.clear();
      readToolWords(bytes, (from, to, count) => {
        const word = words.intern(bytes, from, to);
        if (word === stemOf.length) push(stemOf, stemOfNew(word));
        const number = stemOf.values[word] as number;
        const former = counts.get(number);
        counts.set(number, former === undefined ? count : addCounts(former, count));
      });
      for (const [number, count] of counts) postings.add(number, slot, count);
      for (let field = 0; field < FIELDS.length; field += 1) {
        push(lengths, lengthOf(bytes, field));
        sums[field] = (sums[field] as number) + lengthOf(bytes, field);
      }
      live += 1;
    },

    /** Takes a slot out of the statistics. */
    remove(slot: number): void {
      for (let field = 0; field < FIELDS.length; field += 1) {
        sums[field] = (sums[field] as number) - this.length(slot, field);
      }
      live -= 1;
    },

    seal: () => postings.seal(stems.size),
    length: (slot: number, field: number): number =>
      lengths.values[slot * FIELDS.length + field] as number,
    averageLength: (field: number): number =>
      Math.max(1, (sums[field] as number) / Math.max(1, live)),
    get live() {
      return live;
    },
    /** In how many live slots a stem stands. */
    frequency(number: number, liveSlots: Bits): number {
      let frequency = 0;
      for (const { slots } of postings.lists(number)) {
        for (let at = 0; at < slots.length; at += 1) {
          if (hasBit(liveSlots, slots[at] as number)) frequency += 1;
        }
      }
      return frequency;
    },
  };
}
