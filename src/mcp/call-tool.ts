import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server';
import { AppError } from '../errors.ts';
import { asAppError } from '../store/database.ts';
import type { CallContext } from './built-in.ts';
import type { Toolbox } from './built-in-tools.ts';
import { callCatalogueTool, failed } from './catalogue-call.ts';

/**
 * Calls a tool by its name: a built-in one runs here, and is no call that statistics count. What the
 * model can repair is a result with `isError` and a code.
 * @throws AppError NotFoundError for a name that no tool has, and for faults of the server.
 */
export async function callTool(
  context: CallContext & { toolbox: Toolbox },
  name: string,
  args: unknown,
  request: ServerContext,
): Promise<CallToolResult> {
  const tool = context.toolbox.get(name);
  if (tool === undefined) return callCatalogueTool(context.seen, name);
  try {
    return await tool.call(context, args, request);
  } catch (error) {
    const known = asAppError(error);
    if (known instanceof AppError && known.status < 500) return errorResult(known);
    throw error;
  }
}

/** `ValidationError` → `VALIDATION_ERROR`, with each field and reason, for the model to repair. */
function errorResult({ type, message, details }: AppError): CallToolResult {
  const code = type.replace(/(?<=[a-z])([A-Z])/g, '_$1').toUpperCase();
  const { errors, field, reason } = details as {
    errors?: { field: string; reason: string }[];
    field?: string;
    reason?: string;
  };
  const faults = errors ?? (reason === undefined ? [] : [{ field, reason }]);
  const lines = faults.map((fault) => [fault.field, fault.reason].filter(Boolean).join(': '));
  return failed(code, [message, ...lines].join('\n'), details);
}
