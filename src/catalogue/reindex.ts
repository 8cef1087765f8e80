import type { Store } from '../store/store.ts';
import { auditTool } from './audit.ts';

const SLICE = 200;

/** How many indexes, tools and owners' memories were written anew; tools that could not be. */
export interface ReindexResult {
  indexes: number;
  tools: number;
  owners: number;
  refused: string[];
}

/**
 * Builds all indexes anew, and writes what the documents and sums of the tools give wherever the
 * store has something else; so too the index of an owner's memories. Many short transactions: a running server goes on, and sees each.
 */
export async function reindexStore(store: Store): Promise<ReindexResult> {
  const { maintenance } = store;
  const indexes = await maintenance.rebuildIndexes();
  await maintenance.removeOrphans();
  const refused = new Set<string>();
  let tools = 0;
  for (let after: number | undefined = 0; after !== undefined; ) {
    const slice = await maintenance.rederive(after, SLICE, (tool) => {
      const { faults, derived } = auditTool(tool);
      if (derived === undefined) refused.add(tool.name);
      return faults.length > 0 ? derived : undefined;
    });
    for (const name of slice.refused) refused.add(name);
    tools += slice.written;
    after = slice.last;
  }
  let owners = 0;
  for (const owner of await maintenance.memoryOwners()) {
    if ((await maintenance.auditMemories(owner)).faults.length === 0) continue;
    await maintenance.rebuildMemories(owner);
    owners += 1;
  }
  return { indexes, tools, owners, refused: [...refused] };
}
