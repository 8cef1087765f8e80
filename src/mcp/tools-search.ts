import type { Tool } from '@modelcontextprotocol/server';
import { meaningOf } from '../catalogue/list.ts';
import type { Embedder } from '../embeddings/embedder.ts';
import type { SeenStore } from '../store/store.ts';
import { RELEVANCE, type ToolFilter, type ToolPageRows } from '../store/tool-queries.ts';
import { invalid, queryFilter } from './query-filter.ts';
import { DEFAULT_LIMIT, readSearchParams, type SearchParams } from './search-params.ts';
import { shownTool } from './shown-tool.ts';

/** The keys of PraisonAI's answer; no cursor on the last page. */
type Found = {
  tools: Partial<Tool>[];
  total: number;
  nextCursor: string | null;
};

/**
 * The method `tools/search`: active tools of the catalogue by filters, in name order or the best
 * first. The cursor of name order is the last name and stays true while tools come and go.
 * @throws AppError ValidationError naming the parameter.
 */
export async function searchTools(
  { seen, embedder }: { seen: SeenStore; embedder: Embedder | undefined },
  given: unknown,
): Promise<Found> {
  const params = readSearchParams(given);
  const isRanked = params.rank !== undefined;
  const filter = filterOf(params, isRanked);
  const { limit = DEFAULT_LIMIT, detail = 'full', explain = false } = params;
  const after = readCursor(params.cursor, isRanked);
  const from = await offsetOf(seen, filter, after);
  const meaning = isRanked ? await meaningOf(embedder, filter) : undefined;
  const page = await seen.tools.list({
    filter,
    sort: isRanked ? RELEVANCE : 'name',
    order: isRanked ? 'desc' : 'asc',
    size: limit,
    from,
    ...(explain && { explain }),
    ...(meaning?.vector && { meaning: { model: meaning.model, vector: meaning.vector } }),
  });
  const end = from + page.tools.length;
  const isLast = page.tools.length === 0 || end >= page.total;
  return {
    tools: shown(page, detail),
    total: page.total,
    nextCursor: isLast ? null : cursorOf(isRanked ? { offset: end } : { name: lastName(page) }),
  };
}

function filterOf(params: SearchParams, isRanked: boolean): ToolFilter {
  const { query = '', category, tags = [], readOnly, minSuccessRate } = params;
  const filter = queryFilter(query, isRanked, {
    ...(category !== undefined && { category }),
    ...(readOnly !== undefined && { read_only: readOnly }),
    ...(minSuccessRate !== undefined && { min_success_rate: minSuccessRate }),
  });
  return {
    ...filter,
    // A blank tag is a tag that no tool has.
    ...(tags.length > 0 && { tags }),
    ...(filter.search !== undefined && !isRanked && { in_labels: true }),
  };
}

type After = { name: string } | { offset: number };

/** Where in the list the page behind a cursor begins. */
async function offsetOf(seen: SeenStore, filter: ToolFilter, after?: After): Promise<number> {
  if (after === undefined) return 0;
  if ('offset' in after) return after.offset;
  const look = async (from: number) =>
    seen.tools.list({ filter, sort: 'name', order: 'asc', size: 1, from });
  let low = 0;
  let high = (await look(0)).total;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const [tool] = (await look(middle)).tools;
    // Names are ASCII, so that code units are in the order of the list.
    if (tool !== undefined && tool.name <= after.name) low = middle + 1;
    else high = middle;
  }
  return low;
}

function lastName({ tools }: ToolPageRows): string {
  return tools.at(-1)?.name ?? '';
}

function cursorOf(after: After): string {
  return Buffer.from('name' in after ? `n:${after.name}` : `r:${after.offset}`).toString(
    'base64url',
  );
}

function readCursor(cursor: string | undefined, isRanked: boolean): After | undefined {
  if (cursor === undefined || cursor === '') return undefined;
  const [, kind, value = ''] =
    /^([nr]):(.*)$/s.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  const after = kind === 'n' ? { name: value } : { offset: Number(value) };
  const isOffset = kind === 'r' && /^[1-9]\d{0,8}$/.test(value);
  if ((isRanked ? isOffset : kind === 'n') && cursorOf(after) === cursor) return after;
  throw invalid('cursor', 'Cursor must be the nextCursor of an earlier page of this search');
}

function shown({ tools, relevance }: ToolPageRows, detail: SearchParams['detail']) {
  return tools.flatMap(({ document }, at): Partial<Tool>[] => {
    const tool = shownTool(document);
    if (tool === undefined) return [];
    const _meta = { ...tool._meta, ...relevance?.[at] };
    const { name, description, annotations } = tool;
    if (detail === 'names') return [{ name }];
    if (detail === 'summary') return [{ name, description, annotations, _meta }];
    return [{ ...tool, _meta }];
  });
}
