import type { QueryWord, Relation } from './query-words.ts';
import { strength, unitsOf, weightOf } from './ranking.ts';
import { countIn, FIELDS, type Field } from './tool-words.ts';
import type { WordIndex } from './word-index.ts';

/** Why a word of the query speaks for a tool. */
export interface WordReason {
  /** As in the query, folded. */
  word: string;
  /** The word of the tool that answers to it: itself or a form of it, or what was taken for it. */
  matched: string;
  relation: Relation;
  fields: Field[];
  /** Its part of what all words gave, 0 to 1. */
  share: number;
}

/** Why a slot ranks where it does: its words, the weightiest first. */
export function explainWords(
  words: WordIndex,
  queryWords: readonly QueryWord[],
  slot: number,
): WordReason[] {
  const units = unitsOf(words);
  const reasons = queryWords.flatMap((word) => {
    const values = word.alternatives.flatMap((alternative) => {
      const counts = countsOf(words, alternative.stem, slot);
      if (counts === undefined) return [];
      const weight = weightOf(word, alternative, words.live);
      return [{ alternative, counts, value: weight * strength(words, units, slot, counts) }];
    });
    const best = values.reduce<(typeof values)[number] | undefined>(
      (former, each) => (former === undefined || each.value > former.value ? each : former),
      undefined,
    );
    if (best === undefined) return [];
    const { text: matched, relation } = best.alternative;
    const fields = FIELDS.filter((_, field) => countIn(best.counts, field) > 0);
    return [{ word: word.text, matched, relation, fields, value: best.value }];
  });
  const total = reasons.reduce((sum, { value }) => sum + value, 0);
  return reasons
    .sort((a, b) => b.value - a.value)
    .map(({ value, ...reason }) => ({
      ...reason,
      share: Math.round((value / total) * 1000) / 1000,
    }));
}

function countsOf(words: WordIndex, stem: number, slot: number): number | undefined {
  for (const { slots, notes } of words.lists(stem)) {
    let [from, to] = [0, slots.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((slots[middle] as number) < slot) from = middle + 1;
      else to = middle;
    }
    if (slots[from] === slot) return notes[from];
  }
  return undefined;
}
