import type { MemoryHit } from '../../src/memory/search.ts';

/** A question's answer: the best hits as ids of turns with the strength that the bar looks at. */
export interface Found {
  id: string;
  strength: number;
}

export interface Asked {
  category: number;
  evidence: ReadonlySet<string>;
  /** What recall and the strict search found; the strict one also when the bar is 0. */
  recalled: readonly string[];
  strict: readonly string[];
  unbarred: readonly Found[];
  /** The same of the question put to the next conversation. */
  swappedStrict: readonly string[];
  swappedUnbarred: readonly Found[];
}

/** Of the turns that are evidence, the share that was recalled; averaged over questions. */
export function recallAt(asked: readonly Asked[]): number {
  return average(asked, ({ evidence, recalled }) => shareOf(evidence, recalled));
}

/** The share of questions of which some evidence was recalled. */
export function hitAt(asked: readonly Asked[]): number {
  return average(asked, ({ evidence, recalled }) =>
    Number(recalled.some((id) => evidence.has(id))),
  );
}

/** The share of questions that keep evidence, and of swapped ones that get an answer. */
export function strictness(asked: readonly Asked[]): { kept: number; answered: number } {
  return {
    kept: average(asked, ({ evidence, strict }) => Number(strict.some((id) => evidence.has(id)))),
    answered: average(asked, ({ swappedStrict }) => Number(swappedStrict.length > 0)),
  };
}

/** The same with the bar elsewhere. */
export function curve(asked: readonly Asked[], bars: readonly number[]) {
  return bars.map((bar) => ({
    bar,
    kept: average(asked, ({ evidence, unbarred }) =>
      Number(unbarred.some(({ id, strength }) => strength >= bar && evidence.has(id))),
    ),
    answered: average(asked, ({ swappedUnbarred }) =>
      Number(swappedUnbarred.some(({ strength }) => strength >= bar)),
    ),
  }));
}

/** Strengths of hits that were explained. */
export function foundOf(hits: readonly MemoryHit[], idOf: (hit: MemoryHit) => string): Found[] {
  return hits.map((hit) => ({ id: idOf(hit), strength: hit.explanation?.strength ?? 0 }));
}

function shareOf(evidence: ReadonlySet<string>, found: readonly string[]): number {
  return new Set(found.filter((id) => evidence.has(id))).size / evidence.size;
}

function average<Item>(items: readonly Item[], value: (item: Item) => number): number {
  return items.reduce((sum, item) => sum + value(item), 0) / Math.max(1, items.length);
}
