import type { Tool } from '@modelcontextprotocol/server';
import { isObject, type Json, type JsonObject } from '../json.ts';
import { schemaFromParameters } from './parameters.ts';

/** A property that says which HTTP header repeats it: nothing here would check that. */
const HEADER_KEYWORD = 'x-mcp-header';

/**
 * A tool of the catalogue as MCP shows it, from its stored document; undefined when it cannot be
 * shown, so that one bad tool never costs a client the list. All four hints are there, with MCP's
 * defaults for those that were not given.
 */
export function shownTool(document: string): Tool | undefined {
  try {
    return toolOf(JSON.parse(document, withoutHeaders));
  } catch {
    return undefined;
  }
}

function toolOf(stored: Record<string, Json>): Tool {
  const { name, title, description, parameters, annotations, metadata, tags } = stored;
  const input = stored['input_schema'] ?? schemaFromParameters(parameters as never);
  const output = stored['output_schema'];
  if (typeof name !== 'string' || typeof description !== 'string') throw new Error('no tool');
  const category = isObject(metadata) ? metadata['category'] : undefined;
  return {
    name,
    ...(typeof title === 'string' && { title }),
    description,
    inputSchema: objectSchema(input),
    // Clients of the handshake revisions refuse a whole list for an output that is no object.
    ...(isObject(output) && output['type'] === 'object' && { outputSchema: objectSchema(output) }),
    annotations: {
      ...(typeof title === 'string' && { title }),
      ...hints(annotations),
    },
    _meta: {
      ...(typeof category === 'string' && { category }),
      ...(Array.isArray(tags) && { tags }),
      callable: false,
    },
  };
}

function hints(given: Json | undefined): JsonObject {
  return {
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: true,
    ...(isObject(given) ? given : {}),
  };
}

/** With the root that every client wants, and no boolean in the place of a property's schema. */
function objectSchema(schema: Json | undefined): Tool['inputSchema'] {
  if (!isObject(schema)) return { type: 'object' };
  const { properties, required, ...others } = schema;
  return {
    ...others,
    type: 'object',
    ...(isObject(properties) && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, value]) => [name, subschema(value)]),
      ),
    }),
    ...(Array.isArray(required) && { required: required.filter((one) => typeof one === 'string') }),
  } as Tool['inputSchema'];
}

function subschema(value: Json): JsonObject {
  if (isObject(value)) return value;
  return value === false ? { not: {} } : {};
}

function withoutHeaders(key: string, value: Json): Json | undefined {
  return key === HEADER_KEYWORD && typeof value === 'string' ? undefined : value;
}
