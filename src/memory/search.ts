import type { Principal } from '../auth/authorize.ts';
import { validationError } from '../errors.ts';
import type { StoredMemory } from '../store/memory-rows.ts';
import type { Store } from '../store/store.ts';
import { viewerOf } from './access.ts';
import { explain, type MemoryExplanation } from './explain.ts';
import { agentBoundary } from './memory.ts';
import { parseMemoryQuery } from './query.ts';
import { BAR, type RankedMemory, rankMemories } from './ranking.ts';
import { memoryFilter } from './read.ts';

export const DEFAULT_LIMIT = 5;
export const MAX_LIMIT = 50;

/** What is asked, as a client gives it. */
export interface MemorySearch {
  query: string;
  /** 1 to 50 (5). */
  limit?: number | undefined;
  path_filter?: string | undefined;
  memory_type?: string | undefined;
  prefer_working?: boolean | undefined;
  explain?: boolean | undefined;
}

export interface MemoryHit {
  reference: string;
  path: string;
  memory_type: StoredMemory['memory_type'];
  content: string;
  /** 0 to 1. */
  score: number;
  agent_boundary?: { agent_id?: string; agent_instance_id?: string };
  explanation?: MemoryExplanation;
}

/** `below_bar`: how many more have words of the query, but do not answer it. */
export interface MemorySearchResult {
  hits: MemoryHit[];
  below_bar: number;
}

/**
 * The memories that answer a query, the best first: strict, so that fewer than `limit` or none is a
 * normal result. Nothing is written. `bar` is where it is but in measurements.
 * @throws AppError ValidationError, FilterError.
 */
export function searchMemory(
  store: Store,
  principal: Principal,
  search: MemorySearch,
  bar = BAR,
): Promise<MemorySearchResult> {
  return rankedHits(store, principal, search, bar);
}

/**
 * The same, but forgiving: whatever has a word of the query, or one much like it, in order.
 * @throws AppError ValidationError, FilterError.
 */
export async function recall(
  store: Store,
  principal: Principal,
  search: MemorySearch,
): Promise<{ hits: MemoryHit[] }> {
  const { hits } = await rankedHits(store, principal, search);
  return { hits };
}

async function rankedHits(
  store: Store,
  principal: Principal,
  search: MemorySearch,
  bar?: number,
): Promise<MemorySearchResult> {
  const query = parseMemoryQuery(search.query);
  const limit = parseLimit('limit', search.limit ?? DEFAULT_LIMIT, MAX_LIMIT);
  const { path, types } = memoryFilter(search);
  const { words, ranked, countBelow } = await store.memories.read(viewerOf(principal), (reader) =>
    rankMemories(reader, query, {
      ...(path !== undefined && { path }),
      ...(types !== undefined && { types }),
      forgiving: bar === undefined,
      preferWorking: search.prefer_working ?? false,
    }),
  );
  const answers =
    bar === undefined
      ? ranked
      : ranked.filter(({ hasLiterals, strength }) => hasLiterals && strength >= bar);
  const hits = answers.slice(0, limit).map((one) => ({
    ...hitOf(one),
    ...(search.explain && { explanation: explain(words, query, one) }),
  }));
  return { hits, below_bar: bar === undefined ? 0 : countBelow(bar) };
}

function hitOf({ memory, score }: RankedMemory): MemoryHit {
  const { reference, path, memory_type, content } = memory;
  return { reference, path, memory_type, content, score, ...agentBoundary(memory) };
}

/** @throws AppError ValidationError unless a whole number from 1 to `maximum`. */
export function parseLimit(field: string, value: number, maximum: number): number {
  if (Number.isInteger(value) && value >= 1 && value <= maximum) return value;
  const name = field.charAt(0).toUpperCase() + field.slice(1).replaceAll('_', ' ');
  const reason = `${name} must be a whole number between 1 and ${maximum}`;
  throw validationError('Invalid query parameters', [{ field, reason }]);
}
