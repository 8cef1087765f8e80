import { AppError, type Fault, validationError } from '../errors.ts';
import type { Store } from '../store/store.ts';
import type { Found, NewToolRow, StoredTool, ToolChanges } from '../store/tools.ts';
import { NEVER_CALLED } from '../store/usage-numbers.ts';
import { changedRow } from './changed-row.ts';
import { definitionFaults } from './definition-rules.ts';
import { type Definition, definitionRow } from './tool-document.ts';
import { newToolId } from './tool-name.ts';

/** What to do with a name that exists: refuse all, keep the existing tool, or update it. */
export const CONFLICT_POLICIES = ['error', 'skip', 'update'] as const;
export type ConflictPolicy = (typeof CONFLICT_POLICIES)[number];

/** So long the event loop may be held. */
const SLICE_MS = 10;

/** The tools in the order of the request, and how many of them are new. */
export interface Registered {
  tools: StoredTool[];
  created: number;
}

/**
 * Registers tools, all or none.
 * @throws AppError ValidationError (a rule broken, a name repeated), ConflictError listing the names.
 */
export async function registerTools(
  store: Store,
  definitions: readonly Definition[],
  onConflict: ConflictPolicy = 'error',
): Promise<Registered> {
  const faults = definitions.flatMap((definition, index) =>
    definitionFaults(definition, `tools[${index}]`),
  );
  faults.push(...repeatedNames(definitions));
  if (faults.length > 0) throw validationError('Invalid request body', faults);

  const names = definitions.map((definition) => definition.name);
  const now = Date.now();
  const fresh = await newTools(definitions, now);
  const { result: created, after } = await store.tools.change({ names }, ({ byName }) => {
    if (onConflict === 'error') assertNew(names, byName);
    const insert = fresh.filter((row) => !byName.has(row.name));
    const update = onConflict === 'update' ? updates(definitions, byName, now) : [];
    return { changes: { insert, update }, result: insert.length };
  });
  return { tools: names.flatMap((name) => after.byName.get(name) ?? []), created };
}

/** In slices, since rendering and indexing the texts of many tools takes a while. */
async function newTools(definitions: readonly Definition[], now: number): Promise<NewToolRow[]> {
  const rows: NewToolRow[] = [];
  let began = performance.now();
  for (const definition of definitions) {
    rows.push(newTool(definition, now));
    if (performance.now() - began < SLICE_MS) continue;
    await new Promise(setImmediate);
    began = performance.now();
  }
  return rows;
}

function newTool(definition: Definition, now: number): NewToolRow {
  const state = {
    tool_id: newToolId(),
    status: 'active' as const,
    created_at: now,
    updated_at: now,
  };
  return {
    ...definitionRow(definition, state),
    ...state,
    revision: 1,
    ...NEVER_CALLED,
    versions: [],
  };
}

function updates(
  definitions: readonly Definition[],
  byName: Found['byName'],
  now: number,
): NonNullable<ToolChanges['update']> {
  return definitions.flatMap((definition) => {
    const tool = byName.get(definition.name);
    const row = tool && changedRow(tool, definition, now);
    return tool && row ? [{ id: tool.id, row }] : [];
  });
}

function repeatedNames(definitions: readonly Definition[]): Fault[] {
  const seen = new Set<string>();
  return definitions.flatMap(({ name }, index) => {
    const repeated = seen.has(name);
    seen.add(name);
    return repeated
      ? [
          {
            field: `tools[${index}].name`,
            reason: `The name '${name}' is repeated in this request`,
          },
        ]
      : [];
  });
}

function assertNew(names: readonly string[], byName: Found['byName']): void {
  const taken = names.filter((name) => byName.has(name));
  const [first] = taken;
  if (first === undefined) return;
  throw new AppError('ConflictError', 'Tools with these names exist', {
    field: `tools[${names.indexOf(first)}].name`,
    reason: `A tool named '${first}' exists; on_conflict=skip or update would allow it`,
    names: taken,
  });
}
