import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  jsonLimitFault,
  MAX_DEPTH,
  MAX_SCHEMA_BYTES,
  MAX_SCHEMA_VALUES,
  schemaFault,
} from '../../src/catalogue/json-schema-rules.ts';

const DRAFT_04 = 'http://json-schema.org/draft-04/schema#';
const DRAFT_07 = 'http://json-schema.org/draft-07/schema#';

/** An object schema inside so many containers that its own depth is `depth`. */
function nested(depth: number): unknown {
  let schema: object = { type: 'object' };
  for (let i = 1; i < depth; i++) schema = { type: 'object', not: schema };
  return schema;
}

/** An object schema of exactly `count` values. */
function valued(count: number): unknown {
  return { type: 'object', examples: Array.from({ length: count - 3 }, () => 1) };
}

/** An object schema of exactly `bytes` bytes of JSON text, in characters of three bytes and of one. */
function sized(bytes: number): unknown {
  const rest = bytes - JSON.stringify({ type: 'object', title: '' }).length;
  return { type: 'object', title: '天'.repeat(Math.floor(rest / 3)) + 'x'.repeat(rest % 3) };
}

const accepted: [string, unknown][] = [
  ['the smallest schema', { type: 'object' }],
  [
    'a schema as tools have it',
    JSON.parse(
      '{"type":"object","properties":{"q":{"type":"string"}},"required":["q"],"additionalProperties":false}',
    ),
  ],
  [
    'local references',
    {
      type: 'object',
      properties: { a: { $ref: '#/$defs/a' }, b: { $ref: '#' } },
      $defs: { a: {} },
    },
  ],
  ['a property named $ref', { type: 'object', properties: { $ref: { type: 'string' } } }],
  ['a definition named $ref whose schema is true', { type: 'object', $defs: { $ref: true } }],
  [
    'reference-like data',
    {
      type: 'object',
      default: { $ref: 'https://example.com' },
      properties: {
        a: { enum: [{ $ref: 'x' }], const: { $ref: 'x' }, examples: [{ $dynamicRef: 'x' }] },
      },
    },
  ],
  [
    'a pattern that would run for ever',
    { type: 'object', properties: { a: { pattern: '(a+)+$', default: 'a'.repeat(99) } } },
  ],
  [
    'a pattern that is no regular expression',
    { type: 'object', properties: { a: { pattern: '(?i)[' } } },
  ],
  ['unknown keywords', { type: 'object', nullable: true, 'x-order': [1] }],
  ['an unknown dialect', { $schema: 'https://example.com/dialect', type: 'object' }],
  [
    'tuples of draft 07',
    { $schema: DRAFT_07, type: 'object', properties: { a: { items: [{}, {}] } } },
  ],
  [
    'an enum of draft 07 that repeats a value',
    { $schema: DRAFT_07, type: 'object', properties: { a: { enum: [1, 1] }, b: { enum: [] } } },
  ],
  [
    'exclusive bounds of draft 04',
    {
      $schema: DRAFT_04,
      type: 'object',
      properties: { a: { minimum: 0, exclusiveMinimum: true } },
    },
  ],
  ['the deepest schema', nested(MAX_DEPTH)],
  ['as many values as allowed', valued(MAX_SCHEMA_VALUES)],
  ['as many bytes as allowed', sized(MAX_SCHEMA_BYTES)],
];

for (const [what, schema] of accepted) {
  test(`schemaFault accepts ${what}`, () => {
    assert.equal(schemaFault(schema), undefined);
  });
}

const LOCAL = 'must be local: it starts with "#"';
const SCHEMA = 'must be object or boolean';
const TYPES = 'must be one of array, boolean, integer, null, number, object, string';

const refused: [string, unknown, string, string][] = [
  ['null', null, '', 'must be a JSON Schema object'],
  ['a list', [], '', 'must be a JSON Schema object'],
  ['a boolean schema', true, '', 'must be a JSON Schema object'],
  ['a root without type', {}, 'type', 'must be "object"'],
  ['a root of another type', { type: 'array' }, 'type', 'must be "object"'],
  ['a root of several types', { type: ['object'] }, 'type', 'must be "object"'],
  ['a level too deep', nested(MAX_DEPTH + 1), '', 'must be at most 64 levels deep'],
  ['a value too many', valued(MAX_SCHEMA_VALUES + 1), '', 'must hold at most 5,000 values'],
  ['a byte too many', sized(MAX_SCHEMA_BYTES + 1), '', 'must be at most 256 KiB of JSON text'],
  ['what JSON cannot say', { type: 'object', default: 1n }, '', 'must be JSON'],
  [
    'a remote $ref',
    { type: 'object', properties: { a: { $ref: 'https://example.com/a' } } },
    'properties.a.$ref',
    LOCAL,
  ],
  [
    'a relative $ref',
    { type: 'object', $defs: { a: { $ref: 'other.json#/a' } } },
    '$defs.a.$ref',
    LOCAL,
  ],
  ['an empty $ref', { type: 'object', $ref: '' }, '$ref', LOCAL],
  [
    'a remote $dynamicRef in a list',
    { type: 'object', anyOf: [{}, { $dynamicRef: 'x' }] },
    'anyOf[1].$dynamicRef',
    LOCAL,
  ],
  [
    'a remote $recursiveRef',
    { type: 'object', items: { $recursiveRef: 'x' } },
    'items.$recursiveRef',
    LOCAL,
  ],
  [
    'a remote $ref in a property named default',
    { type: 'object', properties: { default: { $ref: 'x' } } },
    'properties.default.$ref',
    LOCAL,
  ],
  [
    'a remote $ref in a property named properties',
    { type: 'object', properties: { properties: { $ref: 'x' } } },
    'properties.properties.$ref',
    LOCAL,
  ],
  [
    'a remote $ref in an unknown keyword',
    { type: 'object', components: { schemas: { a: { $ref: 'x' } } } },
    'components.schemas.a.$ref',
    LOCAL,
  ],
  [
    'an unknown type',
    { type: 'object', properties: { q: { type: 'str' } } },
    'properties.q.type',
    `${TYPES}, or must be array`,
  ],
  [
    'an unknown type in a list',
    { type: 'object', properties: { q: { type: ['null', 'str'] } } },
    'properties.q.type[1]',
    TYPES,
  ],
  [
    'required among the properties',
    { type: 'object', properties: { required: ['q'] } },
    'properties.required',
    SCHEMA,
  ],
  [
    'a required that repeats',
    { type: 'object', required: ['q', 'q'] },
    'required',
    'must not repeat an item',
  ],
  [
    'a negative length',
    { type: 'object', properties: { q: { maxLength: -1 } } },
    'properties.q.maxLength',
    'must be >= 0',
  ],
  ['a tuple of draft 07 in 2020-12', { type: 'object', items: [{}] }, 'items', SCHEMA],
  [
    'a flag as bound in draft 07',
    { $schema: DRAFT_07, type: 'object', exclusiveMinimum: true },
    'exclusiveMinimum',
    'must be number',
  ],
  [
    'the fault inside a form of draft 07',
    { $schema: DRAFT_07, type: 'object', items: { type: 1 } },
    'items.type',
    `${TYPES}, or must be array`,
  ],
  ['a dialect that is no text', { $schema: 7, type: 'object' }, '$schema', 'must be string'],
  [
    'a fault below a name with a dot',
    { type: 'object', properties: { 'a.b': 1 } },
    'properties["a.b"]',
    SCHEMA,
  ],
  [
    'a fault below names with slash and tilde',
    { type: 'object', properties: { '~1/a': 1 } },
    'properties.~1/a',
    SCHEMA,
  ],
  [
    'a fault below an endless name',
    { type: 'object', properties: { ['k'.repeat(9999)]: 1 } },
    `properties["${'k'.repeat(100)}…"]`,
    SCHEMA,
  ],
];

for (const [what, schema, path, reason] of refused) {
  test(`schemaFault refuses ${what}`, () => {
    assert.deepEqual(schemaFault(schema), { path, reason });
  });
}

test('schemaFault survives a nesting that would overflow the stack', () => {
  const depth = 100_000;
  const objects = JSON.parse(`${'{"type":"object","not":'.repeat(depth)}1${'}'.repeat(depth)}`);
  const arrays = JSON.parse('['.repeat(depth) + ']'.repeat(depth));
  for (const schema of [objects, { type: 'object', default: arrays }]) {
    assert.deepEqual(schemaFault(schema), { path: '', reason: 'must be at most 64 levels deep' });
  }
});

test('jsonLimitFault holds any JSON to the same limits', () => {
  assert.equal(jsonLimitFault({ 'x-hint': [null, 'a', { b: 1.5 }] }), undefined);
  assert.equal(jsonLimitFault(new Array(MAX_SCHEMA_VALUES - 1).fill(0)), undefined);
  assert.equal(
    jsonLimitFault(new Array(MAX_SCHEMA_VALUES).fill(0)),
    'must hold at most 5,000 values',
  );
});

/** JSON whose keys and texts are mostly those of JSON Schema, so that it reaches every rule. */
const schemaLike = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom('object', 'string', '#/a', 'x', '', 0, -1, 1.5, true, null, DRAFT_04, DRAFT_07),
    fc.array(tie('value'), { maxLength: 4 }),
    tie('object'),
  ),
  object: fc.dictionary(
    fc.constantFrom(
      'type',
      '$ref',
      '$schema',
      '$id',
      'properties',
      'items',
      'anyOf',
      'required',
      'enum',
      'default',
      'minimum',
      'pattern',
      'dependencies',
      '$defs',
      '__proto__',
      'a.b',
      '',
    ),
    tie('value'),
    { maxKeys: 5 },
  ),
}));

test('schemaFault never throws, and a fault always has a reason', () => {
  const hostile = fc.oneof(fc.jsonValue(), schemaLike.object, fc.anything());
  fc.assert(
    fc.property(hostile, fc.boolean(), (value, rooted) => {
      const schema = rooted && typeof value === 'object' ? { ...value, type: 'object' } : value;
      const fault = schemaFault(schema);
      assert.ok(fault === undefined || fault.reason.startsWith('must '));
    }),
    { numRuns: 2000 },
  );
});

test('schemaFault leaves the schema as it was', () => {
  fc.assert(
    fc.property(schemaLike.object, (value) => {
      const before = JSON.stringify(value);
      schemaFault(value);
      assert.equal(JSON.stringify(value), before);
    }),
  );
});
