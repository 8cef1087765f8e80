import type { CallToolResult } from '@modelcontextprotocol/server';
import { shownTool } from '../catalogue/mcp-tool.ts';
import { AppError } from '../errors.ts';
import type { SeenStore } from '../store/store.ts';

/**
 * A tool of the catalogue: it is described here, and no server that could run it is known.
 * @throws AppError NotFoundError for a name that no active tool has.
 */
export async function callCatalogueTool(
  seen: SeenStore,
  name: string,
  { readOnly = false } = {},
): Promise<CallToolResult> {
  const [row] = await seen.tools.findByName([name]);
  if (row?.status !== 'active') {
    const reason = `No active tool is called '${name.slice(0, 128)}'; see search_tools`;
    throw new AppError('NotFoundError', 'Unknown tool', { field: 'name', reason });
  }
  if (readOnly && shownTool(row.document)?.annotations?.readOnlyHint !== true) {
    return failed('NOT_READ_ONLY', `'${name}' is not marked as read-only: use call_tool`);
  }
  return failed(
    'NO_SERVER',
    `'${name}' is described in this catalogue, but no server behind it is known, so it cannot be called from here`,
  );
}

/** A result that says what went wrong, to the model by its text and to programs by its code. */
export function failed(code: string, message: string, details: object = {}): CallToolResult {
  return {
    isError: true,
    content: [{ type: 'text', text: `${code}: ${message}` }],
    _meta: { error: { code, message, details } },
  };
}
