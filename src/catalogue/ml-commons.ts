import { AppError, type Fault } from '../errors.ts';
import { isObject, type Json, type JsonObject } from '../json.ts';
import { plainJsonFault } from '../plain-json.ts';
import type { MlRegistration, MlUpdate } from '../schemas/ml-commons.ts';
import type { Store } from '../store/store.ts';
import type { StoredTool } from '../store/tools.ts';
import { changedRow } from './changed-row.ts';
import { type DefinitionChange, definitionFaults } from './definition-rules.ts';
import { schemaFault } from './json-schema-rules.ts';
import { registerTools } from './register.ts';
import { type Definition, definitionOf } from './tool-document.ts';

// The texts are ml-commons' own, so that code which looks for them goes on working; the statuses
// are right where ml-commons answers 500.

const LIST_PAGE = 200;
const MAX_REMOVED = 500;
const MAX_SHOWN_NAME = 128;

/** A refusal of a request as OpenSearch's validation words it. */
function invalid(reason: string, field = 'tools'): AppError {
  return new AppError('ValidationError', `Validation Failed: 1: ${reason};`, { field, reason });
}

/**
 * What ml-commons refuses in its own words, before the schema is asked.
 * @throws AppError ValidationError.
 */
export function assertMlTools(body: unknown, verb: 'register' | 'update'): void {
  assertMlBody(body);
  const tools = isObject(body) ? (body['tools'] ?? []) : undefined;
  if (!Array.isArray(tools)) return;
  if (tools.length === 0) throw invalid('tools list can not be null');
  for (const [index, tool] of tools.entries()) {
    if (!isObject(tool)) continue;
    if (verb === 'register' && (tool['type'] ?? null) === null) {
      throw required('type', index);
    }
    const name = tool['name'] ?? null;
    if (verb === 'update' && name === null) throw required('name', index);
    if (name === null || (typeof name === 'string' && name.trim() === '')) {
      throw invalid('tool name can not be null or blank', `tools[${index}].name`);
    }
  }
}

/** @throws AppError ValidationError when there is no body: to ml-commons, an empty list. */
export function assertMlBody(body: unknown): void {
  if (body === undefined || body === null) throw invalid('tools list can not be null');
}

function required(field: string, index: number): AppError {
  const reason = `${field} field required`;
  return new AppError('ValidationError', reason, { field: `tools[${index}].${field}`, reason });
}

/** @throws AppError ValidationError, also for a name that exists (ml-commons: 400). */
export async function registerMlTools(store: Store, { tools }: MlRegistration): Promise<void> {
  const seen = new Set<string>();
  const definitions = tools.map((tool, index): Definition => {
    if (seen.has(tool.name))
      throw invalid(`duplicate tool name: ${tool.name} found in the request`);
    seen.add(tool.name);
    return toDefinition(tool, index);
  });
  try {
    await registerTools(store, definitions);
  } catch (error) {
    if (!(error instanceof AppError) || error.type !== 'ConflictError') throw error;
    const reason = 'Unable to register tool: a tool with the same name already exists.';
    throw new AppError('ValidationError', reason, error.details);
  }
}

/** @throws AppError ValidationError, NotFoundError when a tool is missing; nothing is changed then. */
export async function updateMlTools(store: Store, { tools }: MlUpdate): Promise<void> {
  // Several updates of one tool act in their order, as if sent one by one.
  const merged = new Map<string, { change: MlUpdate['tools'][number]; index: number }>();
  for (const [index, tool] of tools.entries()) {
    const change = { ...merged.get(tool.name)?.change, ...tool };
    merged.set(tool.name, { change, index });
  }
  const names = [...merged.keys()];
  await store.tools.change({ names }, ({ byName }) => {
    const missing = names.filter((name) => !byName.has(name));
    if (missing.length > 0) throw missingTools('update', names, missing);
    const now = Date.now();
    const update = [...merged].flatMap(([name, { change, index }]) => {
      const tool = byName.get(name);
      const row = tool && changedRow(tool, mlChange(tool, change, index), now);
      return tool && row ? [{ id: tool.id, row }] : [];
    });
    return { changes: { update }, result: undefined };
  });
}

/** All or nothing. @throws AppError ValidationError, NotFoundError when a tool is missing. */
export async function removeMlTools(store: Store, elements: readonly string[]): Promise<void> {
  const names = elements.flatMap((element) => element.split(',', MAX_REMOVED + 1));
  if (names.length > MAX_REMOVED) throw invalid(`tools list can have ${MAX_REMOVED} names`);
  const wanted = [...new Set(names.map((name) => name.trim()).filter((name) => name !== ''))];
  if (wanted.length === 0) throw invalid('tools list can not be null');
  await store.tools.change({ names: wanted }, ({ byName }) => {
    const missing = wanted.filter((name) => !byName.has(name));
    if (missing.length > 0) throw missingTools('remove', wanted, missing);
    const remove = [...byName.values()].map((tool) => tool.id);
    return { changes: { remove }, result: undefined };
  });
}

/** The answer with all tools in name order, as pieces of JSON text: the whole may be large. */
export async function* mlToolList(store: Store): AsyncGenerator<string> {
  let after = '';
  let before = '{"tools":[';
  for (;;) {
    const page = await store.tools.getAfter(after, LIST_PAGE);
    const last = page.at(-1);
    if (last === undefined) break;
    yield before + page.map((tool) => JSON.stringify(toListed(tool))).join();
    after = last.name;
    before = ',';
  }
  yield before === ',' ? ']}' : `${before}]}`;
}

function toDefinition(tool: MlRegistration['tools'][number], index: number): Definition {
  const { name, description, type, parameters, attributes } = tool;
  const input_schema = inputSchemaOf(attributes, index);
  const definition: Definition = {
    name,
    description: description ?? '',
    ...(input_schema && { input_schema }),
    ml_commons: withoutUndefined({ type, parameters, attributes }),
  };
  assertDefinition(definition, index);
  return definition;
}

function mlChange(
  tool: StoredTool,
  { description, parameters, attributes }: MlUpdate['tools'][number],
  index: number,
): DefinitionChange {
  const change: DefinitionChange = {};
  if (description !== undefined) change.description = description ?? '';
  // Attributes are replaced whole: without an input schema in them there is none any more.
  if (attributes !== undefined) change.input_schema = inputSchemaOf(attributes, index);
  if (parameters !== undefined || attributes !== undefined) {
    const former = definitionOf(tool).ml_commons ?? { type: tool.name };
    change.ml_commons = { ...former, ...withoutUndefined({ parameters, attributes }) };
  }
  assertDefinition(change, index);
  return change;
}

/** @throws AppError ValidationError, naming the part as ml-commons' requests do. */
function assertDefinition(definition: DefinitionChange, index: number): void {
  const [fault] = definitionFaults(definition, '');
  if (fault === undefined) return;
  const part = fault.field.replace(/^input_schema/, 'attributes.$&');
  const field = `tools[${index}]${part === 'ml_commons' ? '' : `.${part}`}`;
  throw invalid(`${field}: ${fault.reason}`, field);
}

function inputSchemaOf(attributes: JsonObject | undefined, index: number): JsonObject | undefined {
  const given = attributes?.['input_schema'];
  if (given === undefined) return undefined;
  const schema = parsedSchema(given);
  const field = `tools[${index}].attributes.input_schema`;
  if (!isObject(schema)) {
    throw invalid(`${field} must be a JSON Schema object, or its JSON text`, field);
  }
  const fault = plainJsonFault(schema);
  if (fault !== undefined) throw invalid(`${field}: ${fault.reason}`, field);
  return schema as JsonObject;
}

/** What an import may not bring back of a registration: the same rules as on the way in. */
export function mlCommonsFault(value: unknown): Fault | undefined {
  if (!isObject(value)) return { field: 'ml_commons', reason: 'ml_commons must be an object' };
  const { type, parameters, attributes, ...others } = value;
  const isObjectOrAbsent = (part: unknown) => part === undefined || isObject(part);
  const isShaped =
    typeof type === 'string' && isObjectOrAbsent(parameters) && isObjectOrAbsent(attributes);
  if (!isShaped || Object.keys(others).length > 0) {
    const reason =
      'ml_commons must have a type, and may have the objects parameters and attributes';
    return { field: 'ml_commons', reason };
  }
  const given = isObject(attributes) ? attributes['input_schema'] : undefined;
  if (given === undefined) return undefined;
  const schema = parsedSchema(given as Json);
  const fault = plainJsonFault(schema) ?? schemaFault(schema);
  return fault && { field: 'ml_commons.attributes.input_schema', reason: fault.reason };
}

/** A schema may come as JSON text. */
function parsedSchema(given: Json): unknown {
  if (typeof given !== 'string') return given;
  try {
    return JSON.parse(given);
  } catch {
    return undefined;
  }
}

function missingTools(verb: 'update' | 'remove', names: string[], missing: string[]): AppError {
  const all = missing.length === names.length;
  const reason = {
    update: all
      ? 'Failed to update tools as none of them is found in index'
      : 'Failed to find one or more requested tools in system index',
    remove: all
      ? 'Unable to remove tools as no tool in the request found in system index'
      : `Unable to remove tools as these tools: [${missing.map((name) => name.slice(0, MAX_SHOWN_NAME)).join(', ')}] are not found in system index`,
  }[verb];
  return new AppError('NotFoundError', reason);
}

function toListed(tool: StoredTool) {
  const { description, input_schema, ml_commons } = definitionOf(tool);
  return {
    // Every tool of ml-commons has a type; one that was registered without is its own.
    type: ml_commons?.type ?? tool.name,
    name: tool.name,
    description: description === '' ? undefined : description,
    parameters: filled(ml_commons?.parameters),
    attributes: filled(listedAttributes(input_schema, ml_commons?.attributes)),
    create_time: tool.created_at,
    last_update_time: tool.updated_at,
  };
}

/** The attributes as given, unless a request of the other contract changed the schema since. */
function listedAttributes(
  schema: JsonObject | undefined,
  given: JsonObject | undefined,
): JsonObject | undefined {
  if (schema === undefined) return given;
  const same =
    JSON.stringify(parsedSchema(given?.['input_schema'] ?? null)) === JSON.stringify(schema);
  return same ? given : { ...given, input_schema: schema };
}

function filled(value: JsonObject | undefined): JsonObject | undefined {
  return value !== undefined && Object.keys(value).length > 0 ? value : undefined;
}

function withoutUndefined<Fields extends object>(fields: Fields) {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Key in keyof Fields]: Exclude<Fields[Key], undefined>;
  };
}
