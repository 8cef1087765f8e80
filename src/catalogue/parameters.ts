import { isObject, type Json, type JsonObject } from '../json.ts';

/** One entry of Lucenia's `parameters` map, keyed by the parameter's name. */
export interface Parameter {
  /** A JSON Schema type, or `any`; what callers gave is kept, whatever it says. */
  type: string;
  description: string;
  required?: boolean;
  default?: Json;
  enum?: Json[];
}

const JSON_TYPES = new Set(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']);

/** Lucenia's map for the root properties of an input schema. A reference is not followed: `any`. */
export function parametersFromSchema(inputSchema: JsonObject): Record<string, Parameter> {
  const { properties, required } = inputSchema;
  const names = new Set(Array.isArray(required) ? required : []);
  const entries = isObject(properties) ? Object.entries(properties) : [];
  return Object.fromEntries(
    entries.map(([name, property]) => [name, parameter(property, names.has(name))]),
  );
}

function parameter(schema: Json, required: boolean): Parameter {
  // A boolean schema allows everything or nothing and says no more.
  if (!isObject(schema)) return { type: 'any', description: '', required };
  const { description } = schema;
  return {
    type: typeOf(schema) ?? branchType(schema) ?? 'any',
    description: typeof description === 'string' ? description : '',
    required,
    ...(schema['default'] !== undefined && { default: schema['default'] }),
    ...(Array.isArray(schema['enum']) && { enum: schema['enum'] }),
  };
}

/** The `type` keyword; of several the first that is not "null", which only says "optional". */
function typeOf(schema: Json): string | undefined {
  if (!isObject(schema)) return undefined;
  return preferred([schema['type']].flat());
}

function branchType(schema: JsonObject): string | undefined {
  const branches = [schema['anyOf'], schema['oneOf'], schema['allOf']].filter(Array.isArray);
  return preferred(branches.flat().map(typeOf));
}

function preferred(types: readonly unknown[]): string | undefined {
  const named = types.filter((type) => typeof type === 'string');
  return named.find((type) => type !== 'null') ?? named[0];
}

/**
 * The input schema that MCP shows for a tool registered with Lucenia's map alone. Types that JSON
 * Schema does not know (`any`, `float`) are left out, so that every client accepts the schema.
 */
export function schemaFromParameters(parameters: Record<string, Parameter>): JsonObject {
  const entries = Object.entries(parameters);
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, each]) => [name, propertySchema(each)])),
    required: entries.filter(([, each]) => each.required === true).map(([name]) => name),
  };
}

function propertySchema(parameter: Parameter): JsonObject {
  return {
    ...(JSON_TYPES.has(parameter.type) && { type: parameter.type }),
    ...(parameter.description !== '' && { description: parameter.description }),
    ...(parameter.default !== undefined && { default: parameter.default }),
    ...(parameter.enum !== undefined && { enum: parameter.enum }),
  };
}
