import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { schemaFault } from '../../src/catalogue/json-schema-rules.ts';
import {
  type Parameter,
  parametersFromSchema,
  schemaFromParameters,
} from '../../src/catalogue/parameters.ts';
import type { Json, JsonObject } from '../../src/json.ts';

const types: [string, Json, string][] = [
  ['its own type', { type: 'integer' }, 'integer'],
  ['the first of several types', { type: ['string', 'number'] }, 'string'],
  ['the first type that is not null', { type: ['null', 'number'] }, 'number'],
  ['null when nothing else is allowed', { type: ['null'] }, 'null'],
  [
    'the first typed branch',
    { anyOf: [{ const: 1 }, { type: 'string' }, { type: 'number' }] },
    'string',
  ],
  [
    'the first typed branch that is not null',
    { anyOf: [{ type: 'null' }, { type: 'array' }] },
    'array',
  ],
  ['a branch of oneOf', { oneOf: [{ type: 'boolean' }] }, 'boolean'],
  ['a branch of allOf', { allOf: [{ $ref: '#/$defs/a' }, { type: 'object' }] }, 'object'],
  [
    'anyOf before oneOf and allOf',
    { allOf: [{ type: 'array' }], oneOf: [{ type: 'number' }], anyOf: [{ type: 'string' }] },
    'string',
  ],
  ['its own type before its branches', { anyOf: [{ type: 'string' }], type: 'object' }, 'object'],
  ['any when it is a reference', { $ref: '#/$defs/a' }, 'any'],
  ['any when it says nothing', {}, 'any'],
  ['any when it is true', true, 'any'],
  ['any when it is false', false, 'any'],
  ['any when its type is no text', { type: 1, anyOf: {} }, 'any'],
];

for (const [what, property, type] of types) {
  test(`parametersFromSchema gives a property ${what}`, () => {
    const { p } = parametersFromSchema({ type: 'object', properties: { p: property } });
    assert.equal(p?.type, type);
  });
}

const LUCENIA = {
  query: { type: 'string', description: 'Text to look for', required: true },
  limit: { type: 'number', description: 'Most results', required: false, default: 10 },
  kind: {
    type: 'string',
    description: 'Kind',
    required: false,
    default: 'all',
    enum: ['one', 'all'],
  },
};

test('parametersFromSchema gives the keys of a parameter in their order', () => {
  const parameters = parametersFromSchema({
    type: 'object',
    required: ['query'],
    properties: {
      query: { description: 'Text to look for', type: 'string', minLength: 1 },
      limit: { default: 10, description: 'Most results', type: 'number' },
      kind: { enum: ['one', 'all'], default: 'all', description: 'Kind', type: 'string' },
    },
  });
  assert.equal(JSON.stringify(parameters), JSON.stringify(LUCENIA));
});

test('parametersFromSchema keeps a default of null, false, 0 and empty text', () => {
  for (const value of [null, false, 0, '']) {
    const { p } = parametersFromSchema({ properties: { p: { default: value } } });
    assert.deepEqual(p, { type: 'any', description: '', required: false, default: value });
  }
});

test('parametersFromSchema gives an empty map when there are no properties', () => {
  for (const schema of [{}, { properties: [] }, { properties: null, required: ['q'] }]) {
    assert.deepEqual(parametersFromSchema(schema), {});
  }
});

test('parametersFromSchema takes a property named __proto__ as any other', () => {
  const schema = JSON.parse('{"properties":{"__proto__":{"type":"string"}}}');
  const parameters = parametersFromSchema(schema);
  assert.deepEqual(Object.keys(parameters), ['__proto__']);
  assert.equal(Object.getPrototypeOf(parameters), Object.prototype);
});

test('schemaFromParameters gives an object schema with the required names', () => {
  assert.deepEqual(schemaFromParameters(LUCENIA), {
    type: 'object',
    properties: {
      query: { type: 'string', description: 'Text to look for' },
      limit: { type: 'number', description: 'Most results', default: 10 },
      kind: { type: 'string', description: 'Kind', default: 'all', enum: ['one', 'all'] },
    },
    required: ['query'],
  });
  assert.deepEqual(schemaFromParameters({}), { type: 'object', properties: {}, required: [] });
});

test('schemaFromParameters leaves out a type that JSON Schema does not know', () => {
  for (const type of ['any', 'float', '']) {
    const schema = schemaFromParameters({ p: { type, description: '' } });
    assert.deepEqual(schema['properties'], { p: {} });
  }
});

const json = fc.jsonValue().map((value): Json => JSON.parse(JSON.stringify(value)));
const propertyLike = fc.dictionary(
  fc.constantFrom('type', 'description', 'default', 'enum', 'anyOf', 'oneOf', 'allOf', 'items'),
  fc.oneof(fc.constantFrom('string', 'null', 'any'), json, fc.array(fc.record({ type: json }))),
);

test('parametersFromSchema never throws and gives exactly the keys of a parameter', () => {
  const schemas = fc.record(
    {
      properties: fc.oneof(fc.dictionary(fc.string(), fc.oneof(propertyLike, json)), json),
      required: json,
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(schemas, (schema) => {
      const properties = Object(schema.properties ?? {});
      const parameters = parametersFromSchema(schema as JsonObject);
      for (const [name, parameter] of Object.entries(parameters)) {
        const own = (key: string) => Object.hasOwn(Object(properties[name]), key);
        const keys = ['type', 'description', 'required'];
        if (own('default')) keys.push('default');
        if (own('enum') && Array.isArray(properties[name].enum)) keys.push('enum');
        assert.deepEqual(Object.keys(parameter), keys);
        assert.equal(typeof parameter.type, 'string');
        assert.equal(typeof parameter.description, 'string');
        assert.equal(typeof parameter.required, 'boolean');
      }
    }),
  );
});

const parameterMaps: fc.Arbitrary<Record<string, Parameter>> = fc.dictionary(
  fc.string(),
  fc.record(
    {
      type: fc.constantFrom('any', 'array', 'boolean', 'integer', 'number', 'object', 'string'),
      description: fc.string(),
      required: fc.boolean(),
      default: json,
      enum: fc.array(json),
    },
    { requiredKeys: ['type', 'description', 'required'], noNullPrototype: true },
  ),
  { noNullPrototype: true },
);

test('a map comes back unchanged from the schema that was made of it', () => {
  fc.assert(
    fc.property(parameterMaps, (parameters) => {
      assert.deepEqual(parametersFromSchema(schemaFromParameters(parameters)), parameters);
    }),
  );
});

test('the schema made of any map is one that MCP accepts', () => {
  fc.assert(
    fc.property(parameterMaps, fc.string(), (parameters, type) => {
      const schema = schemaFromParameters({ ...parameters, odd: { type, description: '' } });
      assert.equal(schemaFault(schema), undefined);
    }),
  );
});
