import type { Store } from '../store/store.ts';
import type { StoredTool } from '../store/tools.ts';
import { assertIfMatch } from './etag.ts';
import { toolNotFound } from './get.ts';

/**
 * Removes the tools of these names, with their former definitions, in one transaction.
 * @returns how many there were; the others are gone already.
 */
export async function removeTools(store: Store, names: readonly string[]): Promise<number> {
  const { result } = await store.tools.change({ names }, ({ byName }) => {
    const remove = [...byName.values()].map(({ id }) => id);
    return { changes: { remove }, result: remove.length };
  });
  return result;
}

/**
 * Removes a tool with its former definitions. The same name registered again is a new tool.
 * @throws AppError NotFoundError, PreconditionFailedError.
 */
export async function removeTool(
  store: Store,
  toolId: string,
  ifMatch?: string,
): Promise<StoredTool> {
  const { result } = await store.tools.change({ toolIds: [toolId] }, ({ byToolId }) => {
    const tool = byToolId.get(toolId);
    if (tool === undefined) throw toolNotFound(toolId);
    assertIfMatch(tool, ifMatch);
    return { changes: { remove: [tool.id] }, result: tool };
  });
  return result;
}
