import type { Store } from '../store/store.ts';
import { auditTool } from './audit.ts';

const SLICE = 200;
const SHOWN = 100;

/** The faults that were found: the first hundred in words, and how many there are. */
export interface CheckResult {
  tools: number;
  memories: number;
  faults: string[];
  count: number;
}

/**
 * Compares everything the store derives with what it is derived from, and asks the engine about its
 * file. Reads in slices, each of one moment, so that it can run beside a server.
 */
export async function checkStore(store: Store): Promise<CheckResult> {
  const faults: string[] = [];
  let count = 0;
  let tools = 0;
  function note(fault: string): void {
    count += 1;
    if (faults.length < SHOWN) faults.push(fault);
  }

  for (const text of await store.maintenance.integrityFaults(SHOWN)) note(`file: ${text}`);
  for (const { table, parent, count: rows } of await store.maintenance.orphans()) {
    note(`${table}: ${rows} rows belong to no row of ${parent}`);
  }
  for (let after = 0; ; ) {
    const slice = await store.maintenance.auditAfter(after, SLICE);
    for (const tool of slice) {
      for (const fault of auditTool(tool).faults) note(`tool ${tool.name}: ${fault}`);
    }
    tools += slice.length;
    const last = slice.at(-1);
    if (last === undefined) break;
    after = last.id;
  }
  let memories = 0;
  for (const owner of await store.maintenance.memoryOwners()) {
    const audit = await store.maintenance.auditMemories(owner);
    for (const fault of audit.faults) note(`memories of owner ${owner}: ${fault}`);
    memories += audit.memories;
  }
  return { tools, memories, faults, count };
}
