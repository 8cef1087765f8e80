import { LRUCache } from 'lru-cache';
import { validationError } from '../errors.ts';
import type { ToolListQuery } from '../schemas/tool.ts';
import { parseQuery, type Query } from '../search/grammar.ts';
import type { Store } from '../store/store.ts';
import type { ToolFilter } from '../store/tool-queries.ts';
import { renderTool } from './tool-document.ts';

/** Characters of rendered pages that are kept for the next request of the same page. */
const MAX_CACHED_CHARACTERS = 16 * 1024 * 1024;
/** Pages far down the list are seldom asked twice. */
const MAX_CACHED_OFFSET = 1_000;

/** A page as JSON text (`data` of the answer), and the ETag of what it shows. */
export interface ToolPage {
  json: string;
  isEmpty: boolean;
  etag: string;
}

/** The list of tools. A page is rendered once for each state of the store. */
export function createToolList(store: Store) {
  const pages = new LRUCache<string, ToolPage>({
    maxSize: MAX_CACHED_CHARACTERS,
    sizeCalculation: (page, key) => 200 + key.length + page.json.length,
  });

  /** @throws AppError ValidationError when `search` breaks a limit of the grammar. */
  return async function listTools(query: ToolListQuery): Promise<ToolPage> {
    const { catalogue, usage } = store.versions();
    // Weak: the same page at another second differs in its timestamp.
    const etag = `W/"${store.nodeId}.${catalogue}.${usage}"`;
    const key = JSON.stringify(query);
    const cached = pages.get(key);
    if (cached?.etag === etag) return cached;
    const { tools, total } = await store.tools.list({ ...query, filter: toolFilter(query) });
    const { size, from } = query;
    const pagination = { total, size, from, has_more: from + tools.length < total };
    const json = `{"tools":[${tools.map((tool) => renderTool(tool)).join()}],"pagination":${JSON.stringify(
      pagination,
    )},"filters_applied":${JSON.stringify(filtersApplied(query))}}`;
    const page = { json, isEmpty: total === 0, etag };
    if (from < MAX_CACHED_OFFSET) pages.set(key, page);
    return page;
  };
}

/** The filters among the parameters of a query; blank ones are not applied. */
export type FilterParameters = Omit<ToolListQuery, 'size' | 'from' | 'sort' | 'order'>;

/** @throws AppError ValidationError when `search` breaks a limit of the grammar. */
export function toolFilter(query: FilterParameters): ToolFilter {
  const { search, ...filter } = given(query);
  return search === undefined ? filter : { ...filter, search: parseSearch(search) };
}

function parseSearch(search: string): Query {
  const parsed = parseQuery(search);
  if ('query' in parsed) return parsed.query;
  const reason = `Search ${parsed.reason.replace(/^M/, 'm')}`;
  throw validationError('Invalid query parameters', [{ field: 'search', reason }]);
}

/** Lucenia's three keys always; a further key only for a further filter. */
function filtersApplied(query: FilterParameters) {
  return { category: null, status: null, search: null, ...given(query) };
}

function given(query: FilterParameters): FilterParameters {
  const { category, status, search, min_success_rate, tags, read_only, author, server } = query;
  const text = (value: string | undefined) => (value?.trim() ? value : undefined);
  const applied = {
    category: text(category),
    status,
    search: text(search),
    min_success_rate,
    tags: tags?.some((tag) => text(tag)) ? tags.filter((tag) => text(tag)) : undefined,
    read_only,
    author: text(author),
    server: text(server),
  };
  return Object.fromEntries(Object.entries(applied).filter(([, value]) => value !== undefined));
}
