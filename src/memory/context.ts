import type { Principal } from '../auth/authorize.ts';
import type { Store } from '../store/store.ts';
import { viewerOf } from './access.ts';
import { estimateTokens, truncateToTokens } from './estimate-tokens.ts';
import { agentBoundary } from './memory.ts';
import { parseMemoryQuery } from './query.ts';
import { rankMemories } from './ranking.ts';
import { memoryFilter } from './read.ts';
import { type MemoryHit, parseLimit } from './search.ts';

export const DEFAULT_TOKENS = 1_200;
export const MAX_TOKENS = 32_000;
export const DEFAULT_ITEMS = 8;
export const MAX_ITEMS = 50;

export interface ContextRequest {
  query: string;
  max_tokens?: number | undefined;
  max_items?: number | undefined;
  path_filter?: string | undefined;
  memory_type?: string | undefined;
  prefer_working?: boolean | undefined;
}

/** An item of a pack: its tokens are of its part of the text. */
type ContextItem = Omit<MemoryHit, 'explanation'> & { tokens: number; truncated?: true };

export interface ContextPack {
  items: ContextItem[];
  /** The items for a prompt, one behind the other. */
  context_text: string;
  budget: { max_tokens: number; used_tokens: number; max_items: number };
  /** How many more have words of the query. */
  omitted: number;
}

/**
 * Packs what is remembered about a query into a budget of tokens, which it never exceeds: whole
 * memories, the best first; one that does not fit is left out. Only when the very first does not fit
 * is it cut, and marked.
 * @throws AppError ValidationError, FilterError.
 */
export async function recallContext(
  store: Store,
  principal: Principal,
  request: ContextRequest,
): Promise<ContextPack> {
  const query = parseMemoryQuery(request.query);
  const max_tokens = parseLimit('max_tokens', request.max_tokens ?? DEFAULT_TOKENS, MAX_TOKENS);
  const max_items = parseLimit('max_items', request.max_items ?? DEFAULT_ITEMS, MAX_ITEMS);
  const { path, types } = memoryFilter(request);
  const { ranked, total } = await store.memories.read(viewerOf(principal), (reader) =>
    rankMemories(reader, query, {
      ...(path !== undefined && { path }),
      ...(types !== undefined && { types }),
      forgiving: true,
      preferWorking: request.prefer_working ?? false,
    }),
  );
  const items: ContextItem[] = [];
  let text = '';
  for (const { memory, score } of ranked) {
    if (items.length === max_items) break;
    const { reference, memory_type, content } = memory;
    const head = `[${memory.path}] `;
    const whole = `${text}${head}${content}\n`;
    const isWhole = estimateTokens(whole) <= max_tokens;
    if (!isWhole && items.length > 0) continue;
    const part = isWhole
      ? content
      : truncateToTokens(content, max_tokens - estimateTokens(`${head}\n`));
    if (part === '') continue;
    const next = isWhole ? whole : `${head}${part}\n`;
    const tokens = estimateTokens(next) - estimateTokens(text);
    text = next;
    items.push({
      reference,
      path: memory.path,
      memory_type,
      content: part,
      score,
      ...agentBoundary(memory),
      tokens,
      ...(!isWhole && { truncated: true as const }),
    });
  }
  const used_tokens = estimateTokens(text);
  return {
    items,
    context_text: text,
    budget: { max_tokens, used_tokens, max_items },
    omitted: total - items.length,
  };
}
