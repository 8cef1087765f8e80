import { AppError } from '../errors.ts';
import { isObject, type JsonObject } from '../json.ts';
import { plainJsonFault } from '../plain-json.ts';
import type { MlRegistration, MlUpdate } from '../schemas/ml-commons.ts';
import type { Store } from '../store/store.ts';
import type { StoredTool } from '../store/tools.ts';
import { changedRow } from './changed-row.ts';
import { definitionFaults } from './definition-rules.ts';
import { registerTools } from './register.ts';
import { type Definition, definitionOf, type MlCommons } from './tool-document.ts';

// The texts are ml-commons' own, so that code which looks for them goes on working; the statuses
// are right where ml-commons answers 500.

const LIST_PAGE = 1_000;

/** A refusal of a request as OpenSearch's validation words it. */
function invalid(reason: string, field = 'tools'): AppError {
  return new AppError('ValidationError', `Validation Failed: 1: ${reason};`, { field, reason });
}

/**
 * What ml-commons refuses in its own words, before the schema is asked.
 * @throws AppError ValidationError.
 */
export function assertMlTools(body: unknown, verb: 'register' | 'update'): void {
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
  const merged = new Map<string, MlUpdate['tools'][number]>();
  for (const tool of tools) merged.set(tool.name, { ...merged.get(tool.name), ...tool });
  const names = [...merged.keys()];
  await store.tools.change({ names }, ({ byName }) => {
    const missing = names.filter((name) => !byName.has(name));
    if (missing.length > 0) throw missingTools('update', names, missing);
    const now = Date.now();
    const update = names.flatMap((name, index) => {
      const tool = byName.get(name);
      const row = tool && changedRow(tool, mlChange(tool, merged.get(name), index), now);
      return tool && row ? [{ id: tool.id, row }] : [];
    });
    return { changes: { update }, result: undefined };
  });
}

/** All or nothing. @throws AppError ValidationError, NotFoundError when a tool is missing. */
export async function removeMlTools(store: Store, elements: readonly string[]): Promise<void> {
  const names = elements.flatMap((element) => element.split(',')).map((name) => name.trim());
  const wanted = [...new Set(names.filter((name) => name !== ''))];
  if (wanted.length === 0) throw invalid('tools list can not be null');
  await store.tools.change({ names: wanted }, ({ byName }) => {
    const missing = wanted.filter((name) => !byName.has(name));
    if (missing.length > 0) throw missingTools('remove', wanted, missing);
    const remove = [...byName.values()].map((tool) => tool.id);
    return { changes: { remove }, result: undefined };
  });
}

/** All tools in name order, as JSON texts. */
export async function listMlTools(store: Store): Promise<string[]> {
  const listed: string[] = [];
  let after = '';
  for (;;) {
    const page = await store.tools.getAfter(after, LIST_PAGE);
    listed.push(...page.map((tool) => JSON.stringify(toListed(tool))));
    const last = page.at(-1);
    if (last === undefined || page.length < LIST_PAGE) return listed;
    after = last.name;
    await new Promise(setImmediate);
  }
}

function toDefinition(tool: MlRegistration['tools'][number], index: number): Definition {
  const { name, description, type, parameters, attributes } = tool;
  const definition: Definition = {
    name,
    description: description ?? '',
    ml_commons: withoutUndefined({ type, parameters, attributes }),
  };
  const schema = inputSchemaOf(attributes, index);
  return schema === undefined ? definition : { ...definition, input_schema: schema };
}

function mlChange(
  tool: StoredTool,
  change: MlUpdate['tools'][number] | undefined,
  index: number,
): Partial<Definition> {
  const { description, parameters, attributes } = change ?? {};
  const former: MlCommons = definitionOf(tool).ml_commons ?? { type: tool.name };
  const definition: Partial<Definition> = {};
  if (description !== undefined) definition.description = description ?? '';
  if (parameters !== undefined || attributes !== undefined) {
    definition.ml_commons = { ...former, ...withoutUndefined({ parameters, attributes }) };
  }
  const schema = inputSchemaOf(attributes, index);
  if (schema !== undefined) definition.input_schema = schema;
  const [fault] = definitionFaults(definition, `tools[${index}]`);
  if (fault) throw invalid(`${fault.field}: ${fault.reason}`, fault.field);
  return definition;
}

function inputSchemaOf(attributes: JsonObject | undefined, index: number): JsonObject | undefined {
  const given = attributes?.['input_schema'];
  if (given === undefined) return undefined;
  const schema = typeof given === 'string' ? parsed(given) : given;
  if (isObject(schema) && plainJsonFault(schema) === undefined) return schema as JsonObject;
  const field = `tools[${index}].attributes.input_schema`;
  throw invalid(`${field} must be a JSON Schema object, or its JSON text`, field);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
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
      : `Unable to remove tools as these tools: [${missing.join(', ')}] are not found in system index`,
  }[verb];
  return new AppError('NotFoundError', reason, { names: missing });
}

function toListed(tool: StoredTool) {
  const { description, input_schema, ml_commons } = definitionOf(tool);
  const attributes = ml_commons ? ml_commons.attributes : input_schema && { input_schema };
  return {
    // Every tool of ml-commons has a type; one that was registered without is its own.
    type: ml_commons?.type ?? tool.name,
    name: tool.name,
    description: description === '' ? undefined : description,
    parameters: filled(ml_commons?.parameters),
    attributes: filled(attributes),
    create_time: tool.created_at,
    last_update_time: tool.updated_at,
  };
}

function filled(value: JsonObject | undefined): JsonObject | undefined {
  return value !== undefined && Object.keys(value).length > 0 ? value : undefined;
}

function withoutUndefined<Fields extends object>(fields: Fields) {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Key in keyof Fields]: Exclude<Fields[Key], undefined>;
  };
}
