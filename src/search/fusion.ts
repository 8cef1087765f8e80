import { JUST_WORDS, NAME_BEGINS } from './order.ts';
import type { Ranked } from './relevance.ts';
import type { Near } from './vectors.ts';

/** Reciprocal rank fusion: how little the first places differ from the next. */
const DAMPING = 60;
/** So many places by words take part; those behind keep their order below them. */
export const FUSED = 200;

/**
 * Puts what is near in meaning among what has the words: each place in either list gives a share.
 * Tools that the search names stay where they are.
 * @param first the first `FUSED` slots by words.
 */
export function fuse(ranked: Ranked, first: readonly number[], near: readonly Near[]): Ranked {
  const { scores } = ranked;
  const isNamed = (slot: number) => (scores[slot] as number) >= NAME_BEGINS;
  const places = new Map<number, number>();
  const share = (rank: number) => 1 / (DAMPING + rank + 1);
  const byWords = first.filter((slot) => !isNamed(slot));
  for (const [rank, slot] of byWords.entries()) places.set(slot, share(rank));
  for (const [rank, { slot }] of near.filter(({ slot: each }) => !isNamed(each)).entries()) {
    places.set(slot, (places.get(slot) ?? 0) + share(rank));
  }
  const lowest = share(FUSED + near.length);
  const best = byWords.length > 0 ? Math.max(...byWords.map((slot) => scores[slot] as number)) : 1;
  const fused = scores.slice();
  const slots = new Set(ranked.slots);
  for (const slot of ranked.slots) {
    if (!isNamed(slot))
      fused[slot] = (lowest * (scores[slot] as number)) / Math.max(best, Number.MIN_VALUE);
  }
  for (const [slot, value] of places) {
    fused[slot] = value;
    slots.add(slot);
  }
  for (const slot of slots) {
    if (!isNamed(slot)) fused[slot] = (JUST_WORDS * (fused[slot] as number)) / (2 * share(0));
  }
  return { ...ranked, slots: [...slots], scores: fused };
}
