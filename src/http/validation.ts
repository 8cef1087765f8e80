import type { TSchema } from '@sinclair/typebox';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { dottedPath } from '../catalogue/schema-path.ts';
import type { Fault } from '../errors.ts';
import { validationError } from '../errors.ts';
import { isObject } from '../json.ts';
import { suggestion } from '../nearest.ts';
import { parseValue, type QuerySchema, type QueryText } from './query-text.ts';

/** OpenSearch's own parameters, known on every route: `pretty` is honoured, the others do nothing. */
const COMMON_PARAMETERS = ['pretty', 'human', 'error_trace'];

/** A body with more faults than this names the first only: a list of millions helps nobody. */
const MAX_VALUES_FOR_ALL_FAULTS = 20_000;
const MAX_FAULTS = 100;
/** Names are repeated to whoever sent them, but not by the megabyte. */
const MAX_LABEL = 100;

type Part = 'body' | 'querystring' | 'params' | 'headers' | 'arguments';

const MESSAGES: Record<Part, string> = {
  body: 'Invalid request body',
  querystring: 'Invalid query parameters',
  params: 'Invalid path parameters',
  headers: 'Invalid headers',
  arguments: 'Invalid arguments',
};

type Validated = { value?: unknown; error?: Error };

/** Validators for Fastify's routes from TypeBox schemas; named schemas are found by their `$id`. */
export function createValidatorCompiler(named: readonly TSchema[]) {
  const options = { strict: false, validateFormats: false, verbose: true };
  const first = new Ajv(options);
  const all = new Ajv({ ...options, allErrors: true });
  for (const schema of named) {
    first.addSchema(schema);
    all.addSchema(schema);
  }

  return ({ schema, httpPart }: { schema: object; httpPart?: string }) => {
    const part = (httpPart ?? 'body') as Part;
    const check = lazily(() => first.compile(schema));
    const checkAll = lazily(() => all.compile(schema));
    const properties = (schema as { properties?: QuerySchema }).properties ?? {};

    return (input: unknown): Validated => {
      const { value, faults } =
        part === 'querystring'
          ? readQuery(properties, input as QueryText)
          : { value: input, faults: [] as Fault[] };
      if (check()(value) && faults.length === 0) return { value };
      const errors = isSmall(value) ? allErrors(checkAll(), value) : (check().errors ?? []);
      faults.push(...errors.slice(0, MAX_FAULTS).map((error) => toFault(error, part, value)));
      return { error: validationError(MESSAGES[part], faults.slice(0, MAX_FAULTS)) };
    };
  };
}

function lazily<Value>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function allErrors(check: ValidateFunction, value: unknown): ErrorObject[] {
  check(value);
  return check.errors ?? [];
}

function readQuery(
  properties: QuerySchema,
  { values, fault }: QueryText,
): { value: Record<string, unknown>; faults: Fault[] } {
  if (fault !== undefined) return { value: {}, faults: [fault] };
  const value: Record<string, unknown> = {};
  const faults: Fault[] = [];
  for (const [name, schema] of Object.entries(properties)) {
    if ('default' in schema) value[name] = schema['default'];
  }
  for (const [name, texts] of values) {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (COMMON_PARAMETERS.includes(name) && schema === undefined) continue;
    const result = schema === undefined ? unknown(name, properties) : readParameter(schema, texts);
    if ('value' in result) value[name] = result.value;
    else faults.push({ field: name, reason: `${label(name)} ${result.reason}` });
  }
  return { value, faults };
}

function readParameter(
  schema: Record<string, unknown>,
  texts: string[],
): { value: unknown } | { reason: string } {
  if (schema['type'] === 'array') return { value: texts };
  const [text] = texts;
  if (text === undefined || texts.length > 1) return { reason: 'must be given once' };
  const blank = text.trim() === '' && (schema['type'] !== 'string' || 'enum' in schema);
  return blank ? { reason: 'must not be blank' } : parseValue(schema, text);
}

function unknown(name: string, properties: QuerySchema): { reason: string } {
  const known = [...Object.keys(properties), ...COMMON_PARAMETERS];
  const hint = suggestion(name, known) || `; known are ${known.join(', ')}`;
  return { reason: `is not a parameter here${hint}` };
}

function toFault(error: ErrorObject, part: Part, root: unknown): Fault {
  const path = error.instancePath.split('/').slice(1).map(unescapePointer);
  const { missingProperty, additionalProperty } = error.params as Record<string, string>;
  const extra = missingProperty ?? additionalProperty;
  if (extra !== undefined) path.push(extra);
  const field = dottedPath(root, path);
  const subject = /\[\d+\]$/.test(field) ? 'The item' : label(path.at(-1) ?? part);
  return { field: field === '' ? part : field, reason: `${subject} ${reasonOf(error)}` };
}

function unescapePointer(token: string): string {
  return token.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** `min_success_rate` → `Min success rate`, as Lucenia's "Size must be between 1 and 100". */
function label(name: string): string {
  if (name.length > MAX_LABEL) return `'${name.slice(0, MAX_LABEL).toWellFormed()}…'`;
  if (!/^[a-z]+(_[a-z]+)*$/.test(name)) return `'${name}'`;
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function reasonOf(error: ErrorObject): string {
  const { params, parentSchema = {}, keyword } = error;
  switch (keyword) {
    case 'required':
      return 'is required';
    case 'additionalProperties': {
      const known = Object.keys((error.parentSchema?.['properties'] as object | undefined) ?? {});
      return `is not a known key${suggestion(String(params['additionalProperty']), known)}`;
    }
    case 'minimum':
    case 'maximum':
      return `must be between ${parentSchema['minimum']} and ${parentSchema['maximum']}`;
    case 'enum':
      return `must be one of ${(params['allowedValues'] as (string | null)[]).filter((value) => value !== null).join(', ')}`;
    case 'pattern':
      return `must be ${patternInWords(parentSchema)}`;
    case 'type':
      return `must be of type ${[params['type']].flat().join(' or ')}`;
    case 'minLength':
    case 'minItems':
      // Nothing here asks for more than one.
      return 'must not be empty';
    case 'maxLength':
      return `must have at most ${params['limit']} characters`;
    case 'maxItems':
      return `must have at most ${params['limit']} items`;
    case 'uniqueItems':
      return 'must not repeat an item';
    default:
      return error.message ?? 'is invalid';
  }
}

function patternInWords(schema: object): string {
  // Behind a colon, where the words before it say what the value is for.
  return isObject(schema) && typeof schema['description'] === 'string'
    ? `${schema['description'].split(': ').at(-1)}`
    : `a match of ${isObject(schema) ? schema['pattern'] : ''}`;
}

function isSmall(value: unknown): boolean {
  let left = MAX_VALUES_FOR_ALL_FAULTS;
  const open: unknown[] = [value];
  while (open.length > 0 && left > 0) {
    const next = open.pop();
    if (typeof next !== 'object' || next === null) continue;
    const children = Object.values(next);
    left -= children.length;
    if (left > 0) open.push(...children);
  }
  return left > 0;
}
