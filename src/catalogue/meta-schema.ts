import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import draft07 from 'ajv/dist/refs/json-schema-draft-07.json' with { type: 'json' };
import type { SchemaFault } from './json-schema-rules.ts';
import { dottedPath } from './schema-path.ts';

type Dialect = 'draft-04' | 'draft-07' | '2020-12';

// Formats stay off: "regex" would compile the patterns of the schema that is looked at.
const OPTIONS = {
  strict: false,
  validateFormats: false,
  validateSchema: false,
  logger: false,
} as const;
const compiled = new Map<Dialect, ValidateFunction>();

/** The first fault of a schema against the meta-schema of its dialect; its depth must be bounded. */
export function metaSchemaFault(schema: Record<string, unknown>): SchemaFault | undefined {
  const validate = validator(dialectOf(schema['$schema']));
  if (validate(schema)) return undefined;
  return faultOf(schema, validate.errors ?? []);
}

/** MCP: a schema that names no dialect is 2020-12. Those between 04 and 07 differ little. */
function dialectOf(uri: unknown): Dialect {
  if (typeof uri !== 'string') return '2020-12';
  if (uri.includes('draft-04')) return 'draft-04';
  return /draft-0[67]/.test(uri) ? 'draft-07' : '2020-12';
}

function validator(dialect: Dialect): ValidateFunction {
  const known = compiled.get(dialect);
  if (known !== undefined) return known;
  const validate =
    dialect === '2020-12'
      ? new Ajv2020(OPTIONS).compile({ $ref: 'https://json-schema.org/draft/2020-12/schema' })
      : new Ajv({ ...OPTIONS, meta: false }).compile(olderMetaSchema(dialect));
  compiled.set(dialect, validate);
  return validate;
}

/**
 * Draft 07's meta-schema, but an `enum` may be empty or repeat itself, as its specification and
 * 2020-12 have it (and comparing each value with each takes quadratic time). In draft 04 the
 * exclusive bounds were flags.
 */
function olderMetaSchema(dialect: Dialect): object {
  const bound = { type: dialect === 'draft-04' ? ['number', 'boolean'] : 'number' };
  const properties = {
    ...draft07.properties,
    enum: { type: 'array' },
    exclusiveMinimum: bound,
    exclusiveMaximum: bound,
  };
  return { ...draft07, properties };
}

/** Where a keyword allows several forms, the fault is the one deepest inside the schema. */
function faultOf(schema: object, errors: readonly ErrorObject[]): SchemaFault {
  const plain = errors.filter((error) => error.keyword !== 'anyOf');
  const depths = plain.map((error) => error.instancePath.split('/').length);
  const deepest = Math.max(...depths);
  const first = plain[depths.indexOf(deepest)];
  const pointer = first?.instancePath ?? '';
  const allowed = plain.filter((error) => error.instancePath === pointer).map(allowedBy);
  const keys = pointer.split('/').slice(1);
  const names = keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  return { path: dottedPath(schema, names), reason: [...new Set(allowed)].join(', or ') };
}

/** Ajv's message, which says what must be; in our words where its own need a reader of Ajv. */
function allowedBy({ keyword, params, message = 'must be valid' }: ErrorObject): string {
  if (keyword === 'enum') return `must be one of ${[params['allowedValues']].flat().join(', ')}`;
  if (keyword === 'uniqueItems') return 'must not repeat an item';
  return keyword === 'type' ? message.replaceAll(',', ' or ') : message;
}
