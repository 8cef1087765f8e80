import { type AppError, type Fault, validationError } from '../errors.ts';
import { isObject } from '../json.ts';
import { plainJsonFault } from '../plain-json.ts';
import type { Store } from '../store/store.ts';
import type { NewToolRow, StoredTool, ToolChanges } from '../store/tools.ts';
import { usageNumbers } from '../store/usage-numbers.ts';
import { changedRow } from './changed-row.ts';
import { definitionFaults } from './definition-rules.ts';
import {
  definitionShape,
  fieldInLine,
  givenChange,
  type ImportedTool,
  type ImportedVersion,
  importedState,
  integer,
  isExportLine,
  lostKeyFault,
  status,
  time,
} from './import-shape.ts';
import { mlCommonsFault } from './ml-commons.ts';
import type { ConflictPolicy } from './register.ts';
import { type Definition, definitionRow, type MlCommons } from './tool-document.ts';
import { categoryOf, newToolId } from './tool-name.ts';

/** What happened, or with a dry run would happen, to one tool of an import. */
export type ImportOutcome =
  | { outcome: 'created' | 'updated' | 'skipped' }
  | { outcome: 'refused'; fault: Fault };

export interface ImportOptions {
  /** The server of tools that name none. */
  server?: string | undefined;
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
  if (!isObject(value)) throw refused([{ field: '', reason: 'It is not a JSON object' }]);
  const plain = plainJsonFault(value);
  const fault = plain ?? lostKeyFault(value);
  if (fault !== undefined) throw refused([fault]);
  const shape = definitionShape(value);
  if (!isExportLine(value)) completeShape(shape, options);
  const definition = checkedDefinition(shape, value, options);
  const state = importedState(value);
  return {
    ...state,
    definition,
    change: givenChange(definition, value),
    versions: isExportLine(value) ? readVersions(value, state.revision, options) : [],
  };
}

/** Files of tools often have no categories, and names that are unique on their server only. */
function completeShape(
  shape: Record<string, unknown>,
  { prefix, server: serverOfAll }: ImportOptions,
): void {
  if (shape['server'] === undefined && serverOfAll !== undefined) shape['server'] = serverOfAll;
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
  at = '',
): Definition {
  const inLine = ({ field, reason }: Fault) => ({
    field: `${at}${fieldInLine(field, line)}`,
    reason,
  });
  const faults = checkDefinition(shape);
  if (faults.length > 0) throw refused(faults.map(inLine));
  const definition = shape as unknown as Definition;
  const mlCommons = line['ml_commons'];
  if (isExportLine(line) && mlCommons !== undefined) {
    const fault = mlCommonsFault(mlCommons);
    if (fault !== undefined) throw refused([fault]);
    definition.ml_commons = mlCommons as MlCommons;
  }
  const deeper = definitionFaults(definition, '');
  if (deeper.length > 0) throw refused(deeper.map(inLine));
  return definition;
}

/** The former definitions of an export line: each of another revision, all before the tool's own. */
function readVersions(
  line: Record<string, unknown>,
  ownRevision: number,
  options: ImportOptions,
): ImportedVersion[] {
  const given = line['versions'] ?? [];
  if (!Array.isArray(given)) {
    throw refused([{ field: 'versions', reason: 'versions must be an array' }]);
  }
  const seen = new Set<number>();
  return given.map((value: unknown, index) => {
    const at = `versions[${index}]`;
    const version = readVersion(value, at, options);
    const { revision } = version;
    if (revision >= ownRevision) {
      const reason = `Revision ${revision} must be below the tool's own, ${ownRevision}`;
      throw refused([{ field: `${at}.revision`, reason }]);
    }
    if (seen.has(revision)) {
      throw refused([{ field: `${at}.revision`, reason: `Revision ${revision} is repeated` }]);
    }
    seen.add(revision);
    return version;
  });
}

function readVersion(value: unknown, at: string, options: ImportOptions): ImportedVersion {
  if (!isObject(value)) throw refused([{ field: at, reason: `${at} must be an object` }]);
  const shape = definitionShape(value);
  return {
    definition: checkedDefinition(shape, { ...value, toolcrib: 1 }, options, `${at}.`),
    status: status(value['status']),
    revision: integer(value['revision'], `${at}.revision`, 1),
    updated_at: time(value['updated_at'], `${at}.updated_at`) ?? 0,
    replaced_at: time(value['replaced_at'], `${at}.replaced_at`) ?? 0,
  };
}

function refused(faults: readonly Fault[]): AppError {
  return validationError('Invalid tool', faults);
}

/** One tool of a file, and where it stands there. */
export interface PlacedTool {
  place: string;
  tool: ImportedTool;
}

/** What the batches of one import share. */
export interface ImportRun {
  onConflict: ConflictPolicy;
  /** Write nothing, but decide as if it had been written. */
  dryRun: boolean;
  /** The places in the file of the names and ids that it created, or with a dry run would create. */
  origins: Map<string, string>;
}

/** What must be unique of a tool: its name, and its id if it brings one. */
export function uniqueKeys({ definition, tool_id }: ImportedTool): string[] {
  const name = nameKey(definition.name);
  return tool_id === undefined ? [name] : [name, idKey(tool_id)];
}

const nameKey = (name: string) => `name ${name}`;
const idKey = (toolId: string) => `id ${toolId}`;

/**
 * Lands a batch in one transaction; each tool for itself is created, updated, skipped or refused.
 * The names and ids of a batch must differ from each other.
 */
export async function importBatch(
  store: Store,
  batch: readonly PlacedTool[],
  { onConflict, dryRun, origins }: ImportRun,
): Promise<ImportOutcome[]> {
  const now = Date.now();
  const keys = {
    names: batch.map(({ tool }) => tool.definition.name),
    toolIds: batch.flatMap(({ tool }) => tool.tool_id ?? []),
  };
  const wouldExist = (key: string) => dryRun && origins.has(key);
  const { result } = await store.tools.change(keys, (found) => {
    const insert: NewToolRow[] = [];
    const update: NonNullable<ToolChanges['update']>[number][] = [];

    function decide(tool: ImportedTool): ImportOutcome {
      const { name } = tool.definition;
      const existing = found.byName.get(name);
      if (existing !== undefined || wouldExist(nameKey(name))) {
        if (onConflict === 'skip') return { outcome: 'skipped' };
        if (onConflict === 'error') return taken('name', name, origins.get(nameKey(name)));
        return existing ? updated(tool, existing, update, now) : { outcome: 'updated' };
      }
      const { tool_id } = tool;
      if (tool_id !== undefined && (found.byToolId.has(tool_id) || wouldExist(idKey(tool_id)))) {
        return taken('tool_id', tool_id, origins.get(idKey(tool_id)));
      }
      insert.push(newRow(tool, now));
      return { outcome: 'created' };
    }

    const outcomes = batch.map(({ tool }) => decide(tool));
    return { changes: dryRun ? {} : { insert, update }, result: outcomes };
  });
  for (const [index, { place, tool }] of batch.entries()) {
    if (result[index]?.outcome !== 'created') continue;
    for (const key of uniqueKeys(tool)) origins.set(key, place);
  }
  return result;
}

function updated(
  tool: ImportedTool,
  existing: StoredTool,
  update: NonNullable<ToolChanges['update']>[number][],
  now: number,
): ImportOutcome {
  const row = changedRow(existing, tool.change, now);
  if (row === undefined) return { outcome: 'skipped' };
  update.push({ id: existing.id, row });
  return { outcome: 'updated' };
}

function taken(
  field: 'name' | 'tool_id',
  value: string,
  origin: string | undefined,
): ImportOutcome {
  const what = field === 'name' ? `A tool named '${value}'` : `A tool with the id '${value}'`;
  const reason = `${what} exists already${origin === undefined ? '' : `, from ${origin}`}`;
  return { outcome: 'refused', fault: { field, reason } };
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
