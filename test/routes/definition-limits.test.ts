import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startApp } from '../helper.ts';
import { failureOf, openSearchFailureOf } from '../http/failure.ts';

type Part = Record<string, unknown>;

const nested = (depth: number): unknown => (depth === 0 ? {} : { x: nested(depth - 1) });
/** A schema of so many containers around each other. */
const deepSchema = (depth: number): Part => ({ type: 'object', x: nested(depth - 2) });
/** A schema whose JSON text has so many bytes. */
function sizedSchema(bytes: number): Part {
  const bare = JSON.stringify({ type: 'object', description: '' }).length;
  return { type: 'object', description: 'x'.repeat(bytes - bare) };
}
/** A schema of so many values: the root, its type, the list and what is in it. */
const manyValues = (values: number): Part => ({ type: 'object', enum: Array(values - 3).fill(0) });

const KIB = 1024;

/** What is taken, and the next more that is not: the field and the reason. */
const LIMITS: [string, Part, Part, string, RegExp][] = [
  [
    'a description of 16 KiB',
    { description: 'x'.repeat(16 * KIB) },
    { description: 'x'.repeat(16 * KIB + 1) },
    'description',
    /at most 16 KiB of UTF-8/,
  ],
  [
    'one of 16 KiB in UTF-8',
    { description: '天'.repeat(5461) },
    { description: '天'.repeat(5462) },
    'description',
    /at most 16 KiB of UTF-8/,
  ],
  [
    'a title of 256 characters',
    { title: '😀'.repeat(256) },
    { title: '😀'.repeat(257) },
    'title',
    /at most 256 characters/,
  ],
  [
    '64 tags',
    { tags: Array(64).fill('a') },
    { tags: Array(65).fill('a') },
    'tags',
    /at most 64 items/,
  ],
  [
    'a tag of 64 characters',
    { tags: ['😀'.repeat(64)] },
    { tags: ['a', '😀'.repeat(65)] },
    'tags[1]',
    /at most 64 characters/,
  ],
  ['a tag of one character', { tags: ['a'] }, { tags: [''] }, 'tags[0]', /must not be empty/],
  [
    'a server of 256 characters',
    { server: 'x'.repeat(256) },
    { server: 'x'.repeat(257) },
    'server',
    /at most 256 characters/,
  ],
  ['a server of one character', { server: 'x' }, { server: '' }, 'server', /must not be empty/],
  ...(['category', 'version', 'author'] as const).map(
    (key): [string, Part, Part, string, RegExp] => [
      `a ${key} of 256 characters`,
      { metadata: { [key]: 'x'.repeat(256) } },
      { metadata: { [key]: 'x'.repeat(257) } },
      `metadata.${key}`,
      /at most 256 characters/,
    ],
  ),
  ...(['input_schema', 'output_schema'] as const).flatMap(
    (key): [string, Part, Part, string, RegExp][] => [
      [
        `${key} of 256 KiB`,
        { [key]: sizedSchema(256 * KIB) },
        { [key]: sizedSchema(256 * KIB + 1) },
        key,
        /at most 256 KiB of JSON text/,
      ],
      [
        `${key} of 64 levels`,
        { [key]: deepSchema(64) },
        { [key]: deepSchema(65) },
        key,
        /at most 64 levels deep/,
      ],
      [
        `${key} of 5,000 values`,
        { [key]: manyValues(5000) },
        { [key]: manyValues(5001) },
        key,
        /at most 5,000 values/,
      ],
      [
        `${key} with a local reference`,
        { [key]: { type: 'object', $ref: '#/$defs/a' } },
        { [key]: { type: 'object', $ref: 'https://example.org/a' } },
        `${key}.$ref`,
        /must be local/,
      ],
      [
        `${key} that is an object`,
        { [key]: { type: 'object' } },
        { [key]: { type: ['object'] } },
        `${key}.type`,
        /must be "object"/,
      ],
      [
        `${key} with a root type`,
        { [key]: { type: 'object' } },
        { [key]: {} },
        `${key}.type`,
        /must be "object"/,
      ],
      [
        `${key} with a known type inside`,
        { [key]: { type: 'object', properties: { q: { type: 'string' } } } },
        { [key]: { type: 'object', properties: { q: { type: 'text' } } } },
        `${key}.properties.q.type`,
        /must be/,
      ],
    ],
  ),
  [
    'annotations of 5,000 values',
    { annotations: { x: Array(4998).fill(0) } },
    { annotations: { x: Array(4999).fill(0) } },
    'annotations',
    /at most 5,000 values/,
  ],
  [
    'parameters of 64 levels',
    { parameters: { q: { type: 'any', description: '', default: nested(61) } } },
    { parameters: { q: { type: 'any', description: '', default: nested(62) } } },
    'parameters',
    /at most 64 levels deep/,
  ],
];

test('limits of a definition', async (t) => {
  const { send } = await startApp(t);
  const registered = await send('POST', '/tools', {
    tools: [{ name: 'updated', description: '' }],
  });
  const path = `/tools/${registered.json().data.tools[0].tool_id}`;
  let count = 0;

  for (const [what, taken, refused, field, reason] of LIMITS) {
    await t.test(`${what} is taken, and no more`, async () => {
      const named = (part: Part) => ({ name: `t${count++}`, description: '', ...part });
      const created = await send('POST', '/tools', { tools: [named(taken)] });
      assert.equal(created.statusCode, 201, created.body.slice(0, 300));
      const updated = await send('PUT', path, taken);
      assert.equal(updated.statusCode, 200, updated.body.slice(0, 300));
      for (const shown of [created.json().data.tools[0], updated.json().data]) {
        for (const [key, value] of Object.entries(taken)) assert.deepEqual(shown[key], value);
      }
      for (const [answer, at] of [
        [await send('POST', '/tools', { tools: [named({}), named(refused)] }), 'tools[1].'],
        [await send('PUT', path, refused), ''],
      ] as const) {
        const { message, details } = failureOf(answer, 'ValidationError');
        assert.equal(message, 'Invalid request body');
        assert.equal(details.field, `${at}${field}`);
        assert.match(details.reason ?? '', reason);
      }
    });
  }

  await t.test('a pattern that takes for ever is stored and never run', async () => {
    const started = performance.now();
    const evil = '^(a+)+$';
    const input_schema = {
      type: 'object',
      properties: {
        q: {
          type: 'string',
          pattern: evil,
          default: `${'a'.repeat(5000)}!`,
          const: `${'a'.repeat(5000)}!`,
        },
      },
      patternProperties: { [evil]: { type: 'string' } },
      [`${'a'.repeat(5000)}!`]: 1,
    };
    const answer = await send('POST', '/tools', {
      tools: [{ name: 'evil', description: '', input_schema }],
    });
    assert.equal(answer.statusCode, 201, answer.body.slice(0, 300));
    assert.ok(performance.now() - started < 2000);
  });

  await t.test(
    'a schema of ml-commons keeps to the same limits, as an object or as text',
    async () => {
      const send1 = (input_schema: unknown) =>
        send('POST', '/tools/_register', {
          tools: [{ type: 'T', name: `m${count++}`, attributes: { input_schema } }],
        });
      for (const schema of [deepSchema(62), sizedSchema(100 * KIB), { type: 'object' }]) {
        assert.equal((await send1(schema)).statusCode, 200);
        assert.equal((await send1(JSON.stringify(schema))).statusCode, 200);
      }
      for (const [schema, reason] of [
        [deepSchema(65), /tools\[0\]\.attributes\.input_schema: It must be at most 64 levels deep/],
        [
          sizedSchema(256 * KIB + 1),
          /tools\[0\]\.attributes\.input_schema: It must be at most 256 KiB/,
        ],
        [
          { type: 'object', $ref: '//evil.example' },
          /tools\[0\]\.attributes\.input_schema\.\$ref: It must be local/,
        ],
        [{ type: 'string' }, /tools\[0\]\.attributes\.input_schema\.type: It must be "object"/],
      ] as const) {
        for (const given of [schema, JSON.stringify(schema)]) {
          const [type, text] = openSearchFailureOf(await send1(given), 400);
          assert.equal(type, 'action_request_validation_exception');
          assert.match(text, reason);
        }
      }
    },
  );
});
