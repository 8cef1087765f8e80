import type { Tool } from '@modelcontextprotocol/server';
import type { Embedder } from '../embeddings/embedder.ts';
import { validationError } from '../errors.ts';
import type { SearchToolsParams } from '../schemas/search-tools.ts';
import { parseQuery, type Query } from '../search/grammar.ts';
import type { SeenStore } from '../store/store.ts';
import { RELEVANCE, type ToolFilter, type ToolPageRows } from '../store/tool-queries.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';
import { meaningOf } from './list.ts';
import { shownTool } from './mcp-tool.ts';

const PAGE = 50;

/** A tool as it is found; with less `detail` less of it. */
type FoundTool = Pick<Tool, 'name'> & Partial<Tool>;

/** `total` counts all that match; `nextCursor` is null on the last page. */
export interface SearchToolsResult {
  tools: FoundTool[];
  total: number;
  nextCursor: string | null;
}

/**
 * MCP's `tools/search` over the active tools of the catalogue: PraisonAI's method, by name unless
 * ranked by relevance. A page goes on behind a name, so that it neither repeats nor skips when tools
 * come and go in between; a ranking behind a place, since scores move with every change.
 * @throws AppError ValidationError naming the parameter.
 */
export async function searchTools(
  store: SeenStore,
  params: SearchToolsParams,
  embedder?: Embedder,
): Promise<SearchToolsResult> {
  const { rank, detail } = params;
  const limit = params.limit ?? PAGE;
  const isRanked = rank === 'relevance';
  const filter = filterOf(params, isRanked);
  const page = isRanked
    ? await ranked(store, filter, params, limit, embedder)
    : await named(store, filter, params, limit);
  const tools = page.tools.slice(0, limit).flatMap((row, at) => {
    const tool = shownTool(row.document);
    if (tool === undefined) return [];
    const relevance = page.relevance?.[at];
    const _meta = { ...tool._meta, ...(relevance && { ...relevance }) };
    return [reduced({ ...tool, _meta }, detail)];
  });
  return { tools, total: page.total, nextCursor: page.nextCursor };
}

type Page = ToolPageRows & { nextCursor: string | null };

async function named(
  store: SeenStore,
  filter: ToolFilter,
  { cursor }: SearchToolsParams,
  limit: number,
): Promise<Page> {
  const page = await store.tools.list({
    ...{ filter, sort: 'name', order: 'asc', from: 0 },
    // One more tells whether there is another page.
    size: limit + 1,
    ...(cursor && { after: decodeCursor('name', cursor) }),
  });
  const last = page.tools.length > limit ? page.tools[limit - 1] : undefined;
  return { ...page, nextCursor: last === undefined ? null : encodeCursor('name', last.name) };
}

async function ranked(
  store: SeenStore,
  filter: ToolFilter,
  { cursor, explain }: SearchToolsParams,
  limit: number,
  embedder: Embedder | undefined,
): Promise<Page> {
  if (filter.search === undefined) throw fault('rank', 'Rank `relevance` needs a query');
  const from = cursor ? placeOf(cursor) : 0;
  const meaning = await meaningOf(embedder, filter);
  const page = await store.tools.list({
    ...{ filter, sort: RELEVANCE, order: 'desc', size: limit, from },
    ...(explain && { explain }),
    ...(meaning?.vector && { meaning: { model: meaning.model, vector: meaning.vector } }),
  });
  const next = from + page.tools.length;
  const hasMore = page.tools.length > 0 && next < page.total;
  return { ...page, nextCursor: hasMore ? encodeCursor('rank', String(next)) : null };
}

function placeOf(cursor: string): number {
  const place = decodeCursor('rank', cursor);
  if (/^[1-9]\d{0,8}$/.test(place)) return Number(place);
  throw fault('cursor', 'Cursor must be the nextCursor of an earlier page of the same search');
}

/** Blank and empty parameters are not applied. */
function filterOf(params: SearchToolsParams, sentence: boolean): ToolFilter {
  const { query, category, tags, readOnly, minSuccessRate } = params;
  const search = query?.trim() ? parse(query, sentence) : undefined;
  return {
    status: 'active',
    ...(category?.trim() && { category }),
    ...(tags && tags.length > 0 && { tags }),
    ...(typeof readOnly === 'boolean' && { read_only: readOnly }),
    ...(typeof minSuccessRate === 'number' && { min_success_rate: minSuccessRate }),
    ...(search && { search, ...(!sentence && { labels: true as const }) }),
  };
}

function parse(text: string, sentence: boolean): Query {
  const parsed = parseQuery(text, { sentence });
  if ('query' in parsed) return parsed.query;
  throw fault('query', `Query ${parsed.reason.replace(/^M/, 'm')}`);
}

function reduced(tool: Tool, detail: SearchToolsParams['detail']): FoundTool {
  const { inputSchema: _input, outputSchema: _output, ...summary } = tool;
  if (detail === 'names') return { name: tool.name };
  return detail === 'summary' ? summary : tool;
}

function fault(field: string, reason: string) {
  return validationError('Invalid params', [{ field, reason }]);
}
