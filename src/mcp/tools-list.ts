import type { ListToolsResult, Tool } from '@modelcontextprotocol/server';
import type { Principal } from '../auth/authorize.ts';
import { decodeCursor, encodeCursor } from '../catalogue/cursor.ts';
import { shownTool } from '../catalogue/mcp-tool.ts';
import type { ToolsShown } from '../config.ts';
import type { SeenStore } from '../store/store.ts';
import type { Toolbox } from './built-in-tools.ts';

/** Tools of the catalogue on a page: many clients read one page only. */
const PAGE = 200;
/** A page of huge schemas ends earlier, so that no answer grows without bound (characters). */
const MAX_PAGE_CHARACTERS = 8 * 1024 * 1024;
/** So many rows are read at once. */
const READ_AT_ONCE = 100;
/** Above so many active tools, `auto` shows the built-in ones alone. */
const MANY_TOOLS = 200;

export interface ListContext {
  seen: SeenStore;
  caller: Principal;
  shown: ToolsShown;
  toolbox: Toolbox;
}

/**
 * A page of the tools that the caller may use: the built-in ones first, then the active ones of the
 * catalogue in name order. The cursor is the last name, so that a page neither repeats nor skips
 * when tools come and go in between.
 * @throws AppError ValidationError for a cursor that is none.
 */
export async function listTools(
  { seen: store, caller, shown, toolbox }: ListContext,
  cursor = '',
): Promise<ListToolsResult> {
  const after = cursor === '' ? '' : decodeCursor('name', cursor);
  const tools = cursor === '' ? builtInFor(toolbox, caller) : [];
  if (!caller.scopes.includes('tools:read') || (await isLean(store, shown))) return { tools };
  const { page, next } = await catalogueAfter(store, toolbox, after);
  return {
    tools: [...tools, ...page],
    ...(next !== undefined && { nextCursor: encodeCursor('name', next) }),
  };
}

function builtInFor(toolbox: Toolbox, { scopes }: Principal): Tool[] {
  const tools = [...toolbox.values()].filter(({ scope }) => scopes.includes(scope));
  return tools.map(({ shown }) => shown);
}

async function isLean(store: SeenStore, shown: ToolsShown): Promise<boolean> {
  if (shown !== 'auto') return shown === 'lean';
  const { total } = await store.tools.list({
    filter: { status: 'active' },
    sort: 'name',
    order: 'asc',
    size: 1,
    from: 0,
  });
  return total > MANY_TOOLS;
}

async function catalogueAfter(store: SeenStore, toolbox: Toolbox, after: string) {
  const page: Tool[] = [];
  let characters = 0;
  let last = after;
  for (;;) {
    const rows = await store.tools.getAfter(last, READ_AT_ONCE);
    for (const { name, status, document } of rows) {
      if (page.length === PAGE || characters > MAX_PAGE_CHARACTERS) return { page, next: last };
      last = name;
      // A built-in tool goes before one of the catalogue with its name, which search still finds.
      if (status !== 'active' || toolbox.has(name)) continue;
      const tool = shownTool(document);
      if (tool === undefined) continue;
      page.push(tool);
      characters += document.length;
    }
    if (rows.length < READ_AT_ONCE) return { page };
  }
}
