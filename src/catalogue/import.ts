import { type AppError, type Fault, validationError } from '../errors.ts';
import { isObject } from '../json.ts';
import { plainJsonFault } from '../plain-json.ts';
import type { Store } from '../store/store.ts';
import type { Found, NewToolRow, StoredTool, ToolChanges } from '../store/tools.ts';
import { changedRow } from './changed-row.ts';
import { definitionFaults } from './definition-rules.ts';
import {
  definitionShape,
  type ImportedTool,
  type ImportedVersion,
  importedState,
  integer,
  status,
  time,
} from './import-shape.ts';
import type { ConflictPolicy } from './register.ts';
import { type Definition, definitionRow, type MlCommons } from './tool-document.ts';
import { categoryOf, newToolId } from './tool-name.ts';
import { usageNumbers } from './usage.ts';

/** What happened, or with a dry run would happen, to one tool of an import. */
export type ImportOutcome =
  | { outcome: 'created' | 'updated' | 'skipped' }
  | { outcome: 'refused'; fault: Fault };

export interface ImportOptions {
  onConflict: ConflictPolicy;
  /** Gives a tool of a server its name; absent: names stay as they are. */
  prefix?: ((server: string, name: string) => string) | undefined;
  /** Checks the shape of a definition. */
  checkDefinition: (definition: unknown) => readonly Fault[];
}

/**
 * Reads one tool object of a file.
 * @throws AppError ValidationError naming the field.
 */
export function readImportedTool(value: unknown, options: ImportOptions): ImportedTool {
  if (!isObject(value)) throw refused([{ field: 'line', reason: 'The line is not a JSON object' }]);
  const plain = plainJsonFault(value);
  if (plain !== undefined) throw refused([plain]);
  const isExport = value['toolcrib'] === 1;
  const shape = definitionShape(value);
  if (!isExport) completeShape(shape, options);
  const definition = checkedDefinition(shape, value, options);
  const versions = isExport && Array.isArray(value['versions']) ? value['versions'] : [];
  return {
    ...importedState(value),
    definition,
    versions: versions.map((version: unknown) => readVersion(version, options)),
  };
}

/** Files of tools often have no categories, and names that are unique on their server only. */
function completeShape(shape: Record<string, unknown>, { prefix }: ImportOptions): void {
  const { name, server, metadata } = shape;
  if (typeof name !== 'string' || (server !== undefined && typeof server !== 'string')) return;
  const category = categoryOf(name, server);
  if (metadata === undefined && category !== undefined) shape['metadata'] = { category };
  else if (isObject(metadata) && metadata['category'] === undefined && category !== undefined) {
    shape['metadata'] = { category, ...metadata };
  }
  if (prefix && server !== undefined) shape['name'] = prefix(server, name);
}

function checkedDefinition(
  shape: Record<string, unknown>,
  line: Record<string, unknown>,
  { checkDefinition }: ImportOptions,
): Definition {
  const faults = checkDefinition(shape);
  if (faults.length > 0) throw refused(faults);
  const definition = shape as unknown as Definition;
  const mlCommons = line['ml_commons'];
  if (line['toolcrib'] === 1 && isObject(mlCommons) && typeof mlCommons['type'] === 'string') {
    definition.ml_commons = mlCommons as unknown as MlCommons;
  }
  const deeper = definitionFaults(definition, '');
  if (deeper.length > 0) throw refused(deeper);
  return definition;
}

function readVersion(value: unknown, options: ImportOptions): ImportedVersion {
  if (!isObject(value)) throw refused([{ field: 'versions', reason: 'versions must be objects' }]);
  return {
    definition: checkedDefinition(definitionShape(value), { ...value, toolcrib: 1 }, options),
    status: status(value['status']),
    revision: integer(value['revision'], 'versions.revision', 1),
    updated_at: time(value['updated_at'], 'versions.updated_at') ?? 0,
    replaced_at: time(value['replaced_at'], 'versions.replaced_at') ?? 0,
  };
}

function refused(faults: readonly Fault[]): AppError {
  return validationError('Invalid tool', faults);
}

/** What a dry run remembers instead of writing it: the names that exist or would by now. */
export interface DryRun {
  names: Set<string>;
}

/**
 * Lands a batch in one transaction; each tool for itself is created, updated, skipped or refused.
 * The names and ids of a batch must differ from each other.
 */
export async function importBatch(
  store: Store,
  batch: readonly ImportedTool[],
  onConflict: ConflictPolicy,
  dryRun?: DryRun,
): Promise<ImportOutcome[]> {
  const now = Date.now();
  const keys = {
    names: batch.map(({ definition }) => definition.name),
    toolIds: batch.flatMap(({ tool_id }) => tool_id ?? []),
  };
  const { result } = await store.tools.change(keys, (found) => {
    const insert: NewToolRow[] = [];
    const update: NonNullable<ToolChanges['update']>[number][] = [];
    const outcomes = batch.map((tool): ImportOutcome => {
      const existing = found.byName.get(tool.definition.name);
      const wouldExist = dryRun?.names.has(tool.definition.name) ?? false;
      dryRun?.names.add(tool.definition.name);
      if (existing === undefined && !wouldExist) return created(tool, found, insert, now);
      if (onConflict === 'skip') return { outcome: 'skipped' };
      if (onConflict === 'error') return taken('name', tool.definition.name);
      return existing === undefined ? { outcome: 'updated' } : updated(tool, existing, update, now);
    });
    return { changes: dryRun ? {} : { insert, update }, result: outcomes };
  });
  return result;
}

function created(
  tool: ImportedTool,
  found: Found,
  insert: NewToolRow[],
  now: number,
): ImportOutcome {
  if (tool.tool_id !== undefined && found.byToolId.has(tool.tool_id)) {
    return taken('tool_id', tool.tool_id);
  }
  insert.push(newRow(tool, now));
  return { outcome: 'created' };
}

function updated(
  tool: ImportedTool,
  existing: StoredTool,
  update: NonNullable<ToolChanges['update']>[number][],
  now: number,
): ImportOutcome {
  const row = changedRow(existing, tool.definition, now);
  if (row === undefined) return { outcome: 'skipped' };
  update.push({ id: existing.id, row });
  return { outcome: 'updated' };
}

function taken(field: 'name' | 'tool_id', value: string): ImportOutcome {
  const what = field === 'name' ? `A tool named '${value}'` : `A tool with the id '${value}'`;
  return { outcome: 'refused', fault: { field, reason: `${what} exists already` } };
}

function newRow(tool: ImportedTool, now: number): NewToolRow {
  const created_at = tool.created_at ?? tool.updated_at ?? now;
  const state = {
    tool_id: tool.tool_id ?? newToolId(),
    status: tool.status,
    created_at,
    updated_at: tool.updated_at ?? created_at,
  };
  return {
    ...definitionRow(tool.definition, state),
    ...state,
    ...tool.usage,
    ...usageNumbers(tool.usage),
    revision: tool.revision,
    recent_calls: tool.recent_calls,
    versions: tool.versions.map((version) => {
      const { status, updated_at, revision, replaced_at, definition } = version;
      const row = definitionRow(definition, { ...state, status, updated_at });
      const { document, ml_commons } = row;
      const derived_parameters = row.derived_parameters ? 1 : 0;
      return { document, derived_parameters, ml_commons, revision, replaced_at };
    }),
  };
}
