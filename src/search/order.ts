import type { SearchIndex } from './search-index.ts';

/** The highest score of words; those above are for names, so that these come first. */
export const JUST_WORDS = 0.79;
export const NAME_BEGINS = 0.8;
export const NAME_EQUALS = 0.9;
/** How far the words still count of those that have a name's score. */
export const NAMED = 0.1;

/** The higher score first, or with `asc` the lower one; then names by code point. */
export function byScore(
  index: SearchIndex,
  scores: Float64Array,
  one: number,
  other: number,
  order: 'asc' | 'desc' = 'desc',
): number {
  const difference = (scores[other] as number) - (scores[one] as number);
  return (order === 'asc' ? -difference : difference) || index.compareNames(one, other);
}

/** What a score says of the tool's name. */
export function nameRank(score: number): 'equal' | 'begins' | undefined {
  if (score >= NAME_EQUALS) return 'equal';
  return score >= NAME_BEGINS ? 'begins' : undefined;
}

/** The first `count` slots in an order, without sorting them all. */
export function firstOf(
  slots: readonly number[],
  count: number,
  compare: (one: number, other: number) => number,
): number[] {
  const kept: number[] = [];
  let last: number | undefined;
  for (const slot of slots) {
    if (last !== undefined && compare(slot, last) > 0) continue;
    kept.push(slot);
    if (kept.length < 2 * count + 64) continue;
    kept.sort(compare).length = count;
    last = kept[count - 1];
  }
  return kept.sort(compare).slice(0, count);
}
