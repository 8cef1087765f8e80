import { AppError, validationError } from '../errors.ts';
import type { ToolUpdate } from '../schemas/tool.ts';
import type { Store } from '../store/store.ts';
import type { StoredTool } from '../store/tools.ts';
import { changedRow } from './changed-row.ts';
import { definitionFaults } from './definition-rules.ts';
import { assertIfMatch } from './etag.ts';
import { toolNotFound } from './get.ts';

/**
 * Replaces the given fields of a tool; omitted ones stay, and the former definition is kept.
 * A change that changes nothing writes nothing.
 * @throws AppError ValidationError, NotFoundError, ConflictError (the new name is taken),
 *   PreconditionFailedError.
 */
export async function updateTool(
  store: Store,
  toolId: string,
  change: ToolUpdate,
  ifMatch?: string,
): Promise<StoredTool> {
  const faults = definitionFaults(change, '');
  if (faults.length > 0) throw validationError('Invalid request body', faults);

  const keys = { toolIds: [toolId], names: change.name === undefined ? [] : [change.name] };
  const { after } = await store.tools.change(keys, ({ byToolId, byName }) => {
    const tool = byToolId.get(toolId);
    if (tool === undefined) throw toolNotFound(toolId);
    assertIfMatch(tool, ifMatch);
    const namesake = change.name === undefined ? undefined : byName.get(change.name);
    if (namesake !== undefined && namesake.id !== tool.id) throw nameTaken(namesake.name);
    const row = changedRow(tool, change, Date.now());
    return { changes: row ? { update: [{ id: tool.id, row }] } : {}, result: undefined };
  });
  const tool = after.byToolId.get(toolId);
  if (tool === undefined) throw toolNotFound(toolId);
  return tool;
}

function nameTaken(name: string): AppError {
  return new AppError('ConflictError', `A tool named '${name}' exists`, {
    field: 'name',
    reason: `The name '${name}' belongs to another tool`,
    names: [name],
  });
}
