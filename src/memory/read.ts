import type { Principal } from '../auth/authorize.ts';
import { validationError } from '../errors.ts';
import { fold } from '../search/fold.ts';
import { matches, parseQuery } from '../search/grammar.ts';
import type { MemoryFilter, MemorySort } from '../store/memory-reader.ts';
import type { MemoryStatus, MemoryVersion, StoredMemory } from '../store/memory-rows.ts';
import type { Store } from '../store/store.ts';
import { viewerOf } from './access.ts';
import { find } from './memory.ts';
import { parsePathFilter } from './path-filter.ts';
import { parseTypeFilter } from './types.ts';

/** Filters as a client gives them. */
export interface GivenFilter {
  path_filter?: string | undefined;
  memory_type?: string | undefined;
  status?: MemoryStatus | undefined;
}

/** @throws AppError FilterError. */
export function memoryFilter({ path_filter = '%', memory_type = '%', status }: GivenFilter) {
  const path = parsePathFilter(path_filter);
  const types = parseTypeFilter(memory_type);
  return {
    ...(path !== undefined && { path }),
    ...(types !== undefined && { types }),
    ...(status !== undefined && { status }),
  } satisfies MemoryFilter;
}

/** @throws AppError NotFoundError. */
export function getMemory(
  store: Store,
  principal: Principal,
  reference: string,
): Promise<StoredMemory> {
  return store.memories.read(viewerOf(principal), (reader) => find(reader, reference));
}

export interface MemoryListQuery extends GivenFilter {
  search?: string | undefined;
  sort: MemorySort;
  order?: 'asc' | 'desc' | undefined;
  size: number;
  from: number;
}

/**
 * A page of memories, and how many match.
 * @throws AppError FilterError.
 */
export async function listMemories(
  store: Store,
  principal: Principal,
  query: MemoryListQuery,
): Promise<{ memories: StoredMemory[]; total: number }> {
  const { sort, size, from, order = sort.endsWith('_at') ? 'desc' : 'asc' } = query;
  const filter = { ...memoryFilter(query), ...contentFilter(query.search) };
  return store.memories.read(viewerOf(principal), (reader) =>
    reader.list(filter, { sort, order, size, from }),
  );
}

/** The filter grammar of tools, on contents. @throws AppError ValidationError. */
function contentFilter(search = ''): { holds?: (content: string) => boolean } {
  if (search.trim() === '') return {};
  const parsed = parseQuery(search);
  if ('query' in parsed) return { holds: (content) => matches(parsed.query, [fold(content)]) };
  const reason = `Search ${parsed.reason.replace(/^M/, 'm')}`;
  throw validationError('Invalid query parameters', [{ field: 'search', reason }]);
}

/**
 * What updates replaced, the newest first.
 * @throws AppError NotFoundError.
 */
export async function memoryHistory(
  store: Store,
  principal: Principal,
  reference: string,
  size: number,
  from: number,
): Promise<{ versions: MemoryVersion[]; total: number }> {
  return store.memories.read(viewerOf(principal), (reader) =>
    reader.versions(find(reader, reference).id, size, from),
  );
}
