import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Embedder } from '../embeddings/embedder.ts';
import { validationError } from '../errors.ts';
import { givenText } from '../given-filters.ts';
import { pagination } from '../pagination.ts';
import type { ToolListQuery } from '../schemas/tool-list.ts';
import { parseQuery, type Query } from '../search/grammar.ts';
import type { SeenStore } from '../store/store.ts';
import { RELEVANCE, type ToolFilter } from '../store/tool-queries.ts';
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

/** What ranked a search; `degraded` when the endpoint for embeddings should have helped. */
export interface RankedBy {
  mode: 'lexical' | 'hybrid';
  degraded?: true;
}

type CachedPage = ToolPage & { state: string; rankedBy: RankedBy | undefined };

/**
 * The list of tools. A page is rendered once for each state of the store; `countRanked` is told of
 * each search by relevance.
 */
export function createToolList(
  embedder: Embedder | undefined,
  countRanked: (by: RankedBy) => void,
) {
  const pages = new LRUCache<string, CachedPage>({
    maxSize: MAX_CACHED_CHARACTERS,
    sizeCalculation: (page, key) => 200 + key.length + page.json.length,
  });

  /** @throws AppError ValidationError when `search` breaks a limit of the grammar. */
  return async function listTools(store: SeenStore, query: ToolListQuery): Promise<ToolPage> {
    const page = await pageOf(store, query);
    if (page.rankedBy !== undefined) countRanked(page.rankedBy);
    return page;
  };

  async function pageOf(store: SeenStore, query: ToolListQuery): Promise<CachedPage> {
    const { size, from, sort, explain } = query;
    const filter = toolFilter(query, sort === RELEVANCE);
    if (sort === RELEVANCE) assertSearch(filter);
    const meaning = sort === RELEVANCE ? await meaningOf(embedder, filter) : undefined;

    const { catalogue, usage, vectors } = store.versions();
    const changes = `${store.nodeId}.${catalogue}.${usage}`;
    const state = meaning ? `${changes}.${vectors}.${meaning.vector ? 'h' : 'l'}` : changes;
    const key = JSON.stringify(store.patterns ? [query, store.patterns] : query);
    const cached = pages.get(key);
    if (cached?.state === state) return cached;
    const order = query.order ?? (sort === RELEVANCE ? 'desc' : 'asc');
    const { tools, total, relevance, isHybrid } = await store.tools.list({
      filter,
      sort,
      order,
      size,
      from,
      ...(explain && { explain }),
      ...(meaning?.vector && { meaning: { model: meaning.model, vector: meaning.vector } }),
    });
    const block = pagination(total, size, from, tools.length);
    const rankedBy: RankedBy | undefined = relevance && {
      mode: isHybrid ? 'hybrid' : 'lexical',
      ...(meaning && !isHybrid && { degraded: true }),
    };
    const json = `{"tools":[${tools
      .map((tool, at) => renderTool(tool, undefined, relevance?.[at]))
      .join()}],"pagination":${JSON.stringify(block)},"filters_applied":${JSON.stringify(
      filtersApplied(query),
    )}${rankedBy === undefined ? '' : `,"search":${JSON.stringify(rankedBy)}`}}`;
    // Weak: the same page at another second differs in its timestamp. Counters would tell one who
    // sees some tools only of changes of the others.
    const etag = `W/"${store.patterns ? hash('sha1', json, 'base64url') : state}"`;
    const page = { json, isEmpty: total === 0, etag, state, rankedBy };
    if (from < MAX_CACHED_OFFSET) pages.set(key, page);
    return page;
  }
}

/** What the model makes of a search; undefined when there is no model. */
export async function meaningOf(
  embedder: Embedder | undefined,
  filter: ToolFilter,
): Promise<{ model: string; vector: Uint8Array | undefined } | undefined> {
  if (embedder === undefined) return undefined;
  const { model } = embedder;
  const terms = (filter.search ?? []).flat().filter(({ exclude }) => !exclude);
  const text = terms
    .map(({ raw }) => raw)
    .join(' ')
    .toWellFormed();
  // Exclusions alone mean nothing.
  return text === '' ? undefined : { model, vector: await embedder.vectorOf(text) };
}

/** The filters among the parameters of a query; blank ones are not applied. */
export type FilterParameters = Omit<ToolListQuery, 'size' | 'from' | 'sort' | 'order' | 'explain'>;

/**
 * @param sentence the search is one of words to rank by, of which one is enough.
 * @throws AppError ValidationError when `search` breaks a limit of the grammar.
 */
export function toolFilter(query: FilterParameters, sentence = false): ToolFilter {
  const { search, ...filter } = given(query);
  return search === undefined ? filter : { ...filter, search: parseSearch(search, sentence) };
}

function parseSearch(search: string, sentence: boolean): Query {
  const parsed = parseQuery(search, { sentence });
  if ('query' in parsed) return parsed.query;
  const reason = `Search ${parsed.reason.replace(/^M/, 'm')}`;
  throw validationError('Invalid query parameters', [{ field: 'search', reason }]);
}

function assertSearch({ search }: ToolFilter): void {
  if (search !== undefined) return;
  const reason = 'Sort by relevance needs a search';
  throw validationError('Invalid query parameters', [{ field: 'sort', reason }]);
}

/** Lucenia's three keys always; a further key only for a further filter. */
function filtersApplied(query: FilterParameters) {
  return { category: null, status: null, search: null, ...given(query) };
}

function given(query: FilterParameters): FilterParameters {
  const { category, status, search, min_success_rate, tags, read_only, author, server } = query;
  const applied = {
    category: givenText(category),
    status,
    search: givenText(search),
    min_success_rate,
    tags: tags?.some(givenText) ? tags.filter(givenText) : undefined,
    read_only,
    author: givenText(author),
    server: givenText(server),
  };
  return Object.fromEntries(Object.entries(applied).filter(([, value]) => value !== undefined));
}
