import type { Store } from '../store/store.ts';
import type { ExportedTool, StoredTool, ToolVersionRow } from '../store/tools.ts';
import { definitionOf } from './tool-document.ts';

const SLICE = 200;

/** Every tool as one line of JSON, in name order, with all that `import` needs to make it again. */
export async function* exportTools(store: Store): AsyncGenerator<string> {
  let after = '';
  for (;;) {
    const tools = await store.tools.exportAfter(after, SLICE);
    for (const tool of tools) yield exportLine(tool);
    const last = tools.at(-1);
    if (last === undefined) return;
    after = last.tool.name;
  }
}

function exportLine({ tool, recentCalls, versions }: ExportedTool): string {
  const { total_calls, successful_calls, total_execution_time_ms } = tool;
  return JSON.stringify({
    // Marks the format: its times are milliseconds and its usage is the exact sums.
    toolcrib: 1,
    tool_id: tool.tool_id,
    ...definitionOf(tool),
    status: tool.status,
    created_at: tool.created_at,
    updated_at: tool.updated_at,
    revision: tool.revision,
    usage_stats: {
      total_calls,
      successful_calls,
      total_execution_time_ms,
      recent_calls: recentCalls,
    },
    versions: versions.length === 0 ? undefined : versions.map(exportVersion),
  });
}

function exportVersion(version: ToolVersionRow) {
  const { status, updated_at }: Pick<StoredTool, 'status'> & { updated_at: string } = JSON.parse(
    version.document,
  );
  return {
    ...definitionOf(version),
    status,
    revision: version.revision,
    updated_at,
    replaced_at: version.replaced_at,
  };
}
