import { distance } from 'fastest-levenshtein';
import type { MemoryReader } from '../store/memory-reader.ts';

const LATIN = /^[a-z]{4,}$/;
/** Two forms have this beginning at least in common, and endings of this length at most. */
const SHORTEST_BEGINNING = 4;
const LONGEST_ENDING = 4;
/** Words that are looked through, and taken. */
const MAX_SEEN = 2_000;
const MAX_RELATED = 6;

/**
 * Stems that are written much like one that nobody wrote: other forms of it (`mentorship` for
 * `mentored`), or the same with one slip. The nearest first; none for other scripts.
 */
export function related(reader: MemoryReader, stem: string): string[] {
  if (!LATIN.test(stem)) return [];
  return reader
    .wordsFrom(stem.slice(0, 2), MAX_SEEN)
    .filter((word) => LATIN.test(word))
    .map((word) => ({ word, slips: distance(word, stem) }))
    .filter(({ word, slips }) => slips === 1 || isForm(word, stem))
    .sort((a, b) => a.slips - b.slips)
    .slice(0, MAX_RELATED)
    .map(({ word }) => word);
}

function isForm(one: string, other: string): boolean {
  let same = 0;
  while (same < one.length && one[same] === other[same]) same += 1;
  const endings = [one.length - same, other.length - same];
  return same > SHORTEST_BEGINNING && endings.every((length) => length <= LONGEST_ENDING);
}
