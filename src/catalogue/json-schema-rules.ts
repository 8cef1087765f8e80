import { isObject } from '../json.ts';
import { metaSchemaFault } from './meta-schema.ts';
import { dottedPath } from './schema-path.ts';

/** UTF-8 bytes of a schema's JSON text. */
export const MAX_SCHEMA_BYTES = 256 * 1024;
/** Containers around each other, the schema itself being the first. */
export const MAX_DEPTH = 64;
/** Objects, arrays and scalars of a schema, each of them one. */
export const MAX_SCHEMA_VALUES = 5000;

/** What is wrong with a schema: where, dotted from its root (`properties.q.type`), and what is allowed. */
export interface SchemaFault {
  path: string;
  reason: string;
}

/**
 * The first fault of a tool's input or output schema, or undefined. Takes any value, never throws,
 * fetches nothing, and neither compiles the schema nor runs its patterns.
 */
export function schemaFault(schema: unknown): SchemaFault | undefined {
  if (!isObject(schema)) return { path: '', reason: 'must be a JSON Schema object' };
  const limit = jsonLimitFault(schema);
  if (limit !== undefined) return { path: '', reason: limit };
  // MCP, "Tool": the root of both schemas is an object schema.
  if (schema['type'] !== 'object') return { path: 'type', reason: 'must be "object"' };
  return referenceFault(schema) ?? metaSchemaFault(schema);
}

/** The limit that a schema or another JSON object breaks; no recursion, since its depth is unknown. */
export function jsonLimitFault(schema: object): string | undefined {
  const open = [{ container: schema, depth: 1 }];
  let values = 1;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next.depth > MAX_DEPTH) return `must be at most ${MAX_DEPTH} levels deep`;
    const children: unknown[] = Array.isArray(next.container)
      ? next.container
      : Object.values(next.container);
    values += children.length;
    if (values > MAX_SCHEMA_VALUES) {
      return `must hold at most ${MAX_SCHEMA_VALUES.toLocaleString('en')} values`;
    }
    for (const child of children) {
      if (typeof child === 'object' && child !== null) {
        open.push({ container: child, depth: next.depth + 1 });
      } else if (!isScalar(child)) return 'must be JSON';
    }
  }
  if (Buffer.byteLength(JSON.stringify(schema)) > MAX_SCHEMA_BYTES) {
    return `must be at most ${MAX_SCHEMA_BYTES / 1024} KiB of JSON text`;
  }
  return undefined;
}

function isScalar(value: unknown): boolean {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

const REFERENCES = new Set(['$ref', '$dynamicRef', '$recursiveRef']);
/** Keywords whose value is plain data, in which nothing is a keyword. */
const DATA = new Set(['default', 'const', 'enum', 'examples']);
/** Keywords whose value maps free names to schemas: those names are no keywords. */
const NAMES = new Set([
  'properties',
  'patternProperties',
  'dependentSchemas',
  'dependencies',
  '$defs',
  'definitions',
]);

interface Place {
  value: object;
  /** Whether the keys of `value` are free names, not keywords. */
  names: boolean;
  keys: readonly string[];
}

/**
 * The first reference that leaves the schema. MCP forbids to fetch one, and a client that does so
 * could be led into its own network. Unknown keywords count as schemas: a reference may point there.
 */
function referenceFault(schema: object): SchemaFault | undefined {
  const places: Place[] = [{ value: schema, names: false, keys: [] }];
  for (const { value, names, keys } of places) {
    const keywords = !names && !Array.isArray(value);
    for (const [key, child] of Object.entries(value)) {
      if (keywords && REFERENCES.has(key) && typeof child === 'string' && !child.startsWith('#')) {
        const path = dottedPath(schema, [...keys, key]);
        return { path, reason: 'must be local: it starts with "#"' };
      }
      if (typeof child !== 'object' || child === null || (keywords && DATA.has(key))) continue;
      places.push({ value: child, names: keywords && NAMES.has(key), keys: [...keys, key] });
    }
  }
  return undefined;
}
