import type { Store } from '../store/store.ts';
import { auditTool } from './audit.ts';

const SLICE = 200;

/** How many indexes and tools were written anew, and the names of tools that could not be. */
export interface ReindexResult {
  indexes: number;
  tools: number;
  refused: string[];
}

/**
 * Builds all indexes anew, and writes what the documents and sums of the tools give wherever the
 * store has something else. Many short transactions: a running server goes on, and sees each.
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
  return { indexes, tools, refused: [...refused] };
}
