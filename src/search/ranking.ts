import { type Bits, hasBit } from './bits.ts';
import { type Alternative, idf, type QueryWord } from './query-words.ts';
import { countIn, FIELDS } from './tool-words.ts';
import type { WordIndex } from './word-index.ts';

/** BM25F: a word counts by its field, less in a long field, and each repetition adds less. */
const SATURATION = 1.2;
const FIELD_WEIGHTS = { name: 5, title: 3, labels: 2, description: 1, parameters: 0.5 } as const;
/** How far the length of a field matters, 0 to 1. */
const LENGTH_WEIGHTS = {
  name: 0.5,
  title: 0.3,
  labels: 0.3,
  description: 0.75,
  parameters: 0.75,
} as const;

/** No score of a single word is higher than its weight and idf times this. */
export const LIMIT = SATURATION + 1;

const LENGTHS = 256;

/** Scores by slot, and which slots have one. */
export interface Scores {
  scores: Float64Array;
  slots: number[];
}

/** For each field and length what one occurrence counts. */
type Units = Float64Array[];

/** What one occurrence in a field counts, by the length of the field in this slot. */
export function unitsOf(words: WordIndex): Units {
  return FIELDS.map((field, index) => {
    const average = words.averageLength(index);
    const share = LENGTH_WEIGHTS[field];
    return Float64Array.from(
      { length: LENGTHS },
      (_, length) => FIELD_WEIGHTS[field] / (1 - share + (share * length) / average),
    );
  });
}

/** What a word that stands so often in the fields of a slot adds to its score, before its idf. */
export function strength(words: WordIndex, units: Units, slot: number, counts: number): number {
  let sum = 0;
  for (let field = 0; field < FIELDS.length; field += 1) {
    const count = countIn(counts, field);
    if (count > 0)
      sum += count * ((units[field] as Float64Array)[words.length(slot, field)] as number);
  }
  return (sum * LIMIT) / (SATURATION + sum);
}

/** A synonym never counts for more than the word itself would. */
export function weightOf(word: QueryWord, alternative: Alternative, total: number): number {
  return word.weight * alternative.weight * Math.min(word.idf, idf(alternative.frequency, total));
}

/** The best value for one word by slot: 0 everywhere between two words, so that it serves again. */
let scratch = new Float64Array(0);

/** Scores all slots of `among` that have one of the words: of each word its best alternative counts. */
export function scoreSlots(
  queryWords: readonly QueryWord[],
  words: WordIndex,
  among: Bits,
): Scores {
  const scores = new Float64Array(among.length * 32);
  const slots: number[] = [];
  if (scratch.length < scores.length) scratch = new Float64Array(scores.length);
  const best = scratch;
  const units = unitsOf(words);
  for (const word of queryWords) {
    const touched: number[] = [];
    for (const alternative of word.alternatives) {
      const weight = weightOf(word, alternative, words.live);
      for (const { slots: having, notes } of words.lists(alternative.stem)) {
        for (let at = 0; at < having.length; at += 1) {
          const slot = having[at] as number;
          if (!hasBit(among, slot)) continue;
          const value = weight * strength(words, units, slot, notes[at] as number);
          const former = best[slot] as number;
          if (value <= former) continue;
          if (former === 0) touched.push(slot);
          best[slot] = value;
          if (scores[slot] === 0) slots.push(slot);
          scores[slot] = (scores[slot] as number) + value - former;
        }
      }
    }
    for (const slot of touched) best[slot] = 0;
  }
  return { scores, slots };
}
