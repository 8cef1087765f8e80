import { definitionRow } from '../../src/catalogue/tool-document.ts';
import { newToolId } from '../../src/catalogue/tool-name.ts';
import type { Store } from '../../src/store/store.ts';
import type { NewToolRow, ToolStatus } from '../../src/store/tools.ts';
import { usageNumbers } from '../../src/store/usage-numbers.ts';

/** A tool as a store may hold it after months: times in milliseconds, calls already recorded. */
export interface GivenTool {
  name: string;
  description?: string;
  category?: string;
  author?: string;
  server?: string;
  tags?: string[];
  read_only?: boolean;
  status?: ToolStatus;
  created_at?: number;
  updated_at?: number;
  total_calls?: number;
  successful_calls?: number;
  total_execution_time_ms?: number;
}

/** Stores the tools in their order, and gives their ids. */
export async function fillCatalogue(store: Store, tools: readonly GivenTool[]): Promise<string[]> {
  const insert = tools.map(toRow);
  await store.tools.change({}, () => ({ changes: { insert }, result: undefined }));
  return insert.map((row) => row.tool_id);
}

function toRow(tool: GivenTool): NewToolRow {
  const { name, description = '', category, author, server, tags, read_only } = tool;
  const created_at = tool.created_at ?? 1_700_000_000_000;
  const state = {
    tool_id: newToolId(),
    status: tool.status ?? 'active',
    created_at,
    updated_at: tool.updated_at ?? created_at,
  };
  const sums = {
    total_calls: tool.total_calls ?? 0,
    successful_calls: tool.successful_calls ?? 0,
    total_execution_time_ms: tool.total_execution_time_ms ?? 0,
  };
  const metadata = { ...(category !== undefined && { category }), ...(author && { author }) };
  const definition = {
    name,
    description,
    metadata,
    ...(server !== undefined && { server }),
    ...(tags && { tags }),
    ...(read_only !== undefined && { annotations: { readOnlyHint: read_only } }),
  };
  return {
    ...definitionRow(definition, state),
    ...state,
    ...sums,
    ...usageNumbers(sums),
    revision: 1,
    recent_calls: [],
    versions: [],
  };
}
