import type { CallToolResult } from '@modelcontextprotocol/server';
import { shownTool } from '../catalogue/mcp-tool.ts';
import { AppError } from '../errors.ts';
import { asAppError } from '../store/database.ts';
import type { SeenStore } from '../store/store.ts';
import type { CallContext } from './built-in.ts';
import { builtInTool } from './built-in-tools.ts';

/**
 * Calls a tool by its name: a built-in one runs here. What the model can repair is a result with
 * `isError` and a code.
 * @throws AppError NotFoundError for a name that no tool has, and for faults of the server.
 */
export async function callTool(
  context: CallContext,
  name: string,
  args: unknown,
): Promise<CallToolResult> {
  const tool = builtInTool(name);
  if (tool === undefined) return callCatalogueTool(context.seen, name);
  try {
    return await tool.call(context, args);
  } catch (error) {
    const known = asAppError(error);
    if (known instanceof AppError && known.status < 500) return errorResult(known);
    throw error;
  }
}

/**
 * A tool of the catalogue: it is described here, and runs on no server that is known here.
 * @throws AppError NotFoundError.
 */
export async function callCatalogueTool(
  seen: SeenStore,
  name: string,
  { readOnly = false } = {},
): Promise<CallToolResult> {
  const [row] = await seen.tools.findByName([name]);
  if (row?.status !== 'active') throw unknownTool(name);
  if (readOnly && shownTool(row.document)?.annotations?.readOnlyHint !== true) {
    return failed('NOT_READ_ONLY', `'${name}' is not marked as read-only: use call_tool`);
  }
  return failed(
    'NO_SERVER',
    `'${name}' is described in this catalogue, but no server behind it is known here, so it cannot be called through it`,
  );
}

/** @returns an error for a name that no active tool has. */
export function unknownTool(name: string): AppError {
  const reason = `No active tool is called '${name.slice(0, 128)}'; see search_tools`;
  return new AppError('NotFoundError', 'Unknown tool', { field: 'name', reason });
}

/** `ValidationError` → `VALIDATION_ERROR`, with the field and the reason for the model to repair. */
function errorResult({ type, message, details }: AppError): CallToolResult {
  const code = type.replace(/(?<=[a-z])([A-Z])/g, '_$1').toUpperCase();
  const { errors, field, reason } = details as {
    errors?: { field: string; reason: string }[];
    field?: string;
    reason?: string;
  };
  const faults = errors ?? (reason === undefined ? [] : [{ field, reason }]);
  const lines = faults.map((fault) =>
    fault.field ? `${fault.field}: ${fault.reason}` : fault.reason,
  );
  return failed(code, [message, ...lines].join('\n'), details);
}

function failed(code: string, message: string, details: object = {}): CallToolResult {
  return {
    isError: true,
    content: [{ type: 'text', text: `${code}: ${message}` }],
    _meta: { error: { code, message, details } },
  };
}
