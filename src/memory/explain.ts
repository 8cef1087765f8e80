import type { Principal } from '../auth/authorize.ts';
import { fold } from '../search/fold.ts';
import type { StoredMemory } from '../store/memory-rows.ts';
import type { Store } from '../store/store.ts';
import { viewerOf } from './access.ts';
import type { AskedWord } from './candidates.ts';
import { find } from './memory.ts';
import { hasLiteral, type MemoryQuery, parseMemoryQuery } from './query.ts';
import { BAR, type RankedMemory, rankMemories } from './ranking.ts';

/** Why a memory does, or does not, answer a query. */
export interface MemoryExplanation {
  /** What the strict bar looks at, and the bar. */
  strength: number;
  bar: number;
  answers: boolean;
  /** Each word of the query: its part of all, 0 to 1, and whether the memory has it. */
  words: { word: string; share: number; found: boolean; in_label: boolean }[];
  /** Phrases and names of code that must be there as they are. */
  literals: { text: string; found: boolean }[];
}

export function explain(
  words: readonly AskedWord[],
  { literals }: MemoryQuery,
  { memory, strength, hasLiterals, look }: RankedMemory,
): MemoryExplanation {
  const all = words.reduce((sum, { idf }) => sum + idf, 0) || 1;
  const folded = fold(memory.content);
  return {
    strength: round(strength),
    bar: BAR,
    answers: hasLiterals && strength >= BAR,
    words: words.map(({ text, idf }, place) => ({
      word: text,
      share: round(idf / all),
      found: look.has[place] ?? false,
      in_label: look.inLabel[place] ?? false,
    })),
    literals: literals.map((literal) => ({
      text: literal.text,
      found: hasLiteral(folded, literal),
    })),
  };
}

/**
 * A memory with where it came from and, when there is a query, why it answers it or does not;
 * `explanation` is absent when it has none of the query's words.
 * @throws AppError NotFoundError, ValidationError.
 */
export async function explainMemory(
  store: Store,
  principal: Principal,
  reference: string,
  query?: string,
): Promise<{ memory: StoredMemory; score?: number; explanation?: MemoryExplanation }> {
  const asked = query === undefined ? undefined : parseMemoryQuery(query);
  return store.memories.read(viewerOf(principal), (reader) => {
    const memory = find(reader, reference);
    if (asked === undefined) return { memory };
    const { words, ranked } = rankMemories(reader, asked, { also: memory.id });
    const one = ranked.find((each) => each.memory.id === memory.id);
    if (one === undefined) return { memory };
    return { memory, score: one.score, explanation: explain(words, asked, one) };
  });
}

function round(value: number): number {
  return Math.round(value * 1e3) / 1e3;
}
