import type { StoredTool, ToolDefinitionRow, ToolStatus } from '../store/tools.ts';
import { type Definition, definitionOf, definitionRow } from './tool-document.ts';

/** The row after a change in which omitted fields stay, or undefined when it would change nothing. */
export function changedRow(
  tool: StoredTool,
  change: { [Field in keyof Definition]?: Definition[Field] | undefined } & {
    status?: ToolStatus;
  },
  now: number,
): ToolDefinitionRow | undefined {
  const { status, ...fields } = change;
  const definition = { ...definitionOf(tool), ...fields } as Definition;
  const state = { ...tool, status: status ?? tool.status };
  const same = definitionRow(definition, state);
  const isSame =
    same.document === tool.document &&
    same.ml_commons === tool.ml_commons &&
    // Parameters that are given are kept, also when they are what the schema gives today.
    Number(same.derived_parameters) === tool.derived_parameters;
  if (isSame) return undefined;
  // A clock that went back must not make an update look older than what it replaced.
  return definitionRow(definition, { ...state, updated_at: Math.max(now, tool.updated_at + 1) });
}
