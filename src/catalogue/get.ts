import { AppError } from '../errors.ts';
import type { Store } from '../store/store.ts';
import type { ShownTool } from '../store/tools.ts';
import { renderTool, renderUsage } from './tool-document.ts';
import { wireTime } from './wire-time.ts';

/** Lucenia's error for a tool that is not there. */
export function toolNotFound(toolId: string): AppError {
  return new AppError('NotFoundError', `Tool with ID '${toolId}' not found`, { tool_id: toolId });
}

/**
 * One tool as JSON text with its newest calls, and the text of its usage numbers apart.
 * @throws AppError NotFoundError.
 */
export async function getTool(
  store: Store,
  toolId: string,
): Promise<{ tool: ShownTool; json: string; usage: string }> {
  const found = await store.tools.getDetail(toolId);
  if (found === undefined) throw toolNotFound(toolId);
  const calls = found.recentCalls.map(({ timestamp, execution_time_ms, success }) => ({
    timestamp: wireTime(timestamp),
    execution_time_ms,
    success,
  }));
  const usage = renderUsage(found.tool, calls);
  return { tool: found.tool, json: renderTool(found.tool, usage), usage };
}

/**
 * A page of a tool's former definitions, the newest first, as JSON texts.
 * @throws AppError NotFoundError.
 */
export async function listToolVersions(
  store: Store,
  toolId: string,
  size: number,
  from: number,
): Promise<{ versions: string[]; total: number }> {
  const found = await store.tools.listVersions(toolId, size, from);
  if (found === undefined) throw toolNotFound(toolId);
  const versions = found.versions.map((version) => {
    const tail = JSON.stringify({
      revision: version.revision,
      replaced_at: wireTime(version.replaced_at),
    });
    return `${version.document.slice(0, -1)},${tail.slice(1)}`;
  });
  return { versions, total: found.total };
}
