import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ErrorType } from '../../src/errors.ts';
import { BASE, startApp } from '../helper.ts';
import { type FailureDetails, failureOf, openSearchFailureOf } from './failure.ts';

const JSON_TYPE = 'application/json';
const valid = (name: string) => JSON.stringify({ tools: [{ name, description: '' }] });

const TYPES: [string | undefined, ErrorType | 201][] = [
  ['application/json', 201],
  ['Application/JSON', 201],
  ['application/json; charset=utf-8', 201],
  ['application/json;charset="UTF-8"', 201],
  ['application/json; charset=utf8', 201],
  ['application/json; version=1', 201],
  [undefined, 'UnsupportedMediaTypeError'],
  ['', 'UnsupportedMediaTypeError'],
  ['json', 'UnsupportedMediaTypeError'],
  ['*/*', 'UnsupportedMediaTypeError'],
  ['application/json\ta', 'UnsupportedMediaTypeError'],
  ['application/jsonx', 'UnsupportedMediaTypeError'],
  ['application/json+x', 'UnsupportedMediaTypeError'],
  ['application/x-ndjson', 'UnsupportedMediaTypeError'],
  ['application/xml', 'UnsupportedMediaTypeError'],
  ['application/octet-stream', 'UnsupportedMediaTypeError'],
  ['text/json', 'UnsupportedMediaTypeError'],
  ['__proto__', 'UnsupportedMediaTypeError'],
  ['application/json; charset=utf-16', 'UnsupportedMediaTypeError'],
  ['application/json; charset=iso-8859-1', 'UnsupportedMediaTypeError'],
  ['application/json; charset="latin1"', 'UnsupportedMediaTypeError'],
];

const ENCODINGS: [string, boolean][] = [
  ['identity', true],
  ['Identity', true],
  ['gzip', false],
  ['x-gzip', false],
  ['deflate', false],
  ['br', false],
  ['zstd', false],
  ['gzip, identity', false],
  ['', false],
];

/** Bodies that are no JSON, or none that is taken: the field and a part of the reason. */
const REFUSED: [string, string | Buffer, string, RegExp][] = [
  ['an open object', '{"tools":[', 'body', /not JSON/],
  ['a trailing comma', '{"tools":[],}', 'body', /not JSON: see position 12/],
  ['single quotes', "{'tools':[]}", 'body', /not JSON: see position 1/],
  ['a comment', '{/* */}', 'body', /not JSON/],
  ['trailing data', '{"tools":[]}{}', 'body', /not JSON: see position 12/],
  ['white space alone', ' \n', 'body', /not JSON/],
  ['NaN', '{"tools":NaN}', 'body', /not JSON/],
  ['Infinity', '{"tools":-Infinity}', 'body', /not JSON/],
  ['a leading zero', '{"tools":01}', 'body', /not JSON/],
  ['a line feed in a text', '{"tools":"a\nb"}', 'body', /not JSON/],
  ['markup', '<tools/>', 'body', /not JSON/],
  ['form data', 'tools=1', 'body', /not JSON/],
  ['bytes that are no UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'body', /must be UTF-8/],
  ['an overlong form', Buffer.from([0x22, 0xc0, 0x80, 0x22]), 'body', /must be UTF-8/],
  ['a surrogate in UTF-8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), 'body', /must be UTF-8/],
  ['UTF-16', Buffer.from('\uFEFF{"tools":[]}', 'utf16le'), 'body', /must be UTF-8/],
  ['two byte order marks', '\uFEFF\uFEFF{}', 'body', /not JSON/],
  ['gzip', Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0]), 'body', /must be UTF-8/],
  ['1e400', '{"tools":[{"name":1e400}]}', 'tools[0].name', /beyond the range of a double/],
  ['-1e400', '{"x":[[-1e400]]}', 'x[0][0]', /beyond the range of a double/],
  ['400 digits', `{"x":${'9'.repeat(400)}}`, 'x', /beyond the range of a double/],
  ['null', 'null', 'body', /must be of type object/],
  ['an array', '[]', 'body', /must be of type object/],
  ['a text', '"tools"', 'body', /must be of type object/],
  ['a number', '0', 'body', /must be of type object/],
  ['nothing', '', 'body', /must be of type object/],
  ['an object without keys', '{}', 'tools', /Tools is required/],
];

test('bodies', async (t) => {
  const { inject, send } = await startApp(t);
  let count = 0;
  const post = (payload: string | Buffer, headers: Record<string, string>, path = '/tools') =>
    inject({ method: 'POST', url: `${BASE}${path}`, payload, headers });
  const postJson = (payload: string | Buffer, path?: string) =>
    post(payload, { 'content-type': JSON_TYPE }, path);

  for (const [type, expected] of TYPES) {
    await t.test(`content type ${type}: ${expected}`, async () => {
      const headers = type === undefined ? {} : { 'content-type': type };
      const answer = await post(Buffer.from(valid(`type-${count++}`)), headers);
      if (expected === 201) assert.equal(answer.statusCode, 201, answer.body);
      else assert.equal(failureOf(answer, expected).details.field, 'Content-Type');
    });
  }

  await t.test('compressed bodies are refused by their label', async () => {
    for (const [encoding, taken] of ENCODINGS) {
      const headers = { 'content-type': JSON_TYPE, 'content-encoding': encoding };
      const answer = await post(valid(`encoding-${count++}`), headers);
      if (taken) assert.equal(answer.statusCode, 201, encoding);
      else
        assert.equal(
          failureOf(answer, 'UnsupportedMediaTypeError').details.field,
          'Content-Encoding',
        );
    }
  });

  for (const [what, body, field, reason] of REFUSED) {
    await t.test(`${what} is refused, naming ${field}`, async () => {
      const { message, details } = failureOf(await postJson(body), 'ValidationError');
      assert.equal(message, 'Invalid request body');
      assert.equal(details.field, field);
      assert.match(details.reason ?? '', reason);
    });
  }

  await t.test('one byte order mark is passed over', async () => {
    assert.equal((await postJson(`\uFEFF${valid('marked')}`)).statusCode, 201);
  });

  await t.test('a body may have 4 MiB and not a byte more', async () => {
    const limit = 4 * 1024 * 1024;
    const body = valid('large');
    assert.equal((await postJson(body.padEnd(limit))).statusCode, 201);
    failureOf(await postJson(body.padEnd(limit + 1)), 'PayloadTooLargeError');
    const [type] = openSearchFailureOf(
      await postJson(' '.repeat(limit + 1), '/tools/_register'),
      413,
    );
    assert.equal(type, 'payload_too_large_exception');
  });

  for (const depth of [81, 10_000, 200_000]) {
    await t.test(`a nesting of ${depth} is refused at once`, async () => {
      for (const [open, close] of [
        ['[', ']'],
        ['{"a":', '}'],
      ] as const) {
        const inner = open === '[' ? '' : '1';
        const answer = await postJson(open.repeat(depth) + inner + close.repeat(depth));
        const { details } = failureOf(answer, 'ValidationError');
        assert.match(details.reason ?? '', /Nesting must be at most 80 levels deep/);
        assert.ok(answer.body.length < 1000);
      }
    });
  }

  await t.test('a body of a million small parts is refused with a short answer', async () => {
    const bodies = [
      `{"tools":[${'{},'.repeat(1_000_000)}{}]}`,
      `{${Array.from({ length: 200_000 }, (_, i) => `"k${i}":1`).join()}}`,
      `{"tools":[{"name":"a","description":"","tags":[${'1,'.repeat(1_000_000)}1]}]}`,
      `{"${'k'.repeat(4_000_000)}":1}`,
      `{"tools":[{"name":"${'n'.repeat(4_000_000)}","description":""}]}`,
    ];
    for (const body of bodies) {
      const answer = await postJson(body);
      failureOf(answer, 'ValidationError');
      assert.ok(answer.body.length < 40_000, `${answer.body.length} characters`);
    }
  });

  await t.test('a DELETE with a JSON content type and no body is a DELETE', async () => {
    const registered = await send('POST', '/tools', { tools: [{ name: 'gone', description: '' }] });
    const url = `${BASE}/tools/${registered.json().data.tools[0].tool_id}`;
    const headers = { 'content-type': JSON_TYPE };
    assert.equal((await inject({ method: 'DELETE', url, headers })).statusCode, 200);
  });

  await t.test('the reason never quotes the body', async () => {
    const { details } = failureOf(await postJson('{"password": hunter2}'), 'ValidationError');
    assert.ok(!JSON.stringify(details).includes('hunter2'));
  });

  await t.test("ml-commons' routes answer the same faults in their own shape", async () => {
    for (const path of ['/tools/_register', '/tools/_update', '/tools/_remove']) {
      const [type, reason] = openSearchFailureOf(await postJson('{"tools":[', path), 400);
      assert.equal(type, 'illegal_argument_exception');
      assert.match(reason, /^body: The body is not JSON/);
      openSearchFailureOf(await post('{}', { 'content-type': 'text/xml' }, path), 415);
    }
  });
});

test('bodies are validated as they are', async (t) => {
  const { send } = await startApp(t);
  const tool = { name: 'a', description: '' };
  const table: [string, object, [string, RegExp][]][] = [
    ['null is no text', { ...tool, description: null }, [['description', /of type string/]]],
    ['a number is no text', { ...tool, name: 5 }, [['name', /of type string/]]],
    ['true is no text', { ...tool, title: true }, [['title', /of type string/]]],
    [
      'a text is no flag',
      { ...tool, annotations: { readOnlyHint: 'true' } },
      [['annotations.readOnlyHint', /of type boolean/]],
    ],
    [
      '1 is no flag',
      { ...tool, parameters: { q: { type: 'string', description: '', required: 1 } } },
      [['parameters.q.required', /of type boolean/]],
    ],
    ['a text is no list', { ...tool, tags: 'a' }, [['tags', /of type array/]]],
    ['null is no list', { ...tool, tags: null }, [['tags', /of type array/]]],
    ['null is no object', { ...tool, metadata: null }, [['metadata', /of type object/]]],
    ['a list is no object', { ...tool, parameters: [] }, [['parameters', /of type object/]]],
    [
      'an item has its place',
      { ...tool, tags: ['a', 5] },
      [['tags[1]', /^The item must be of type string$/]],
    ],
    [
      'two required keys are missing',
      {},
      [
        ['name', /is required/],
        ['description', /is required/],
      ],
    ],
    [
      'a misspelt key is named',
      { ...tool, descripton: '' },
      [['descripton', /not a known key; did you mean 'description'\?/]],
    ],
    [
      'a nested one too',
      { ...tool, metadata: { categroy: 'a' } },
      [['metadata.categroy', /not a known key; did you mean 'category'\?/]],
    ],
    [
      'in a map too',
      { ...tool, parameters: { q: { type: 'string', description: '', requird: true } } },
      [['parameters.q.requird', /did you mean 'required'\?/]],
    ],
    [
      'one with no likeness is named alone',
      { ...tool, zzzzzzzzzz: 1 },
      [['zzzzzzzzzz', /not a known key$/]],
    ],
    ['an id is not given', { ...tool, tool_id: 'tool-a' }, [['tool_id', /not a known key/]]],
    ['nor usage', { ...tool, usage_stats: {} }, [['usage_stats', /not a known key/]]],
    [
      'nor times',
      { ...tool, created_at: 'x', updated_at: 'x' },
      [
        ['created_at', /not a known key/],
        ['updated_at', /not a known key/],
      ],
    ],
    ['nor ml-commons parts', { ...tool, ml_commons: {} }, [['ml_commons', /not a known key/]]],
    [
      'a parameter named 0 is no index',
      { ...tool, parameters: { 0: {} } },
      [
        ['parameters.0.type', /required/],
        ['parameters.0.description', /required/],
      ],
    ],
    [
      'a dotted parameter is quoted',
      { ...tool, parameters: { 'a.b': { type: 'x', description: '' } } },
      [['parameters["a.b"].type', /must be one of string, /]],
    ],
  ];
  for (const [what, given, faults] of table) {
    await t.test(what, async () => {
      const answer = await send('POST', '/tools', { tools: [tool, given] });
      const { message, details } = failureOf(answer, 'ValidationError');
      assert.equal(message, 'Invalid request body');
      const named = details.errors ?? [
        details as FailureDetails & { field: string; reason: string },
      ];
      assert.equal(named.length, faults.length, answer.body);
      for (const [index, [field, reason]] of faults.entries()) {
        const path = `tools[1]${field.startsWith('[') ? '' : '.'}${field}`;
        assert.equal(named[index]?.field, path);
        assert.match(named[index]?.reason ?? '', reason);
      }
    });
  }

  await t.test('an empty list and a repeated item are named', async () => {
    const empty = failureOf(await send('POST', '/tools', { tools: [] }), 'ValidationError');
    assert.deepEqual(empty.details, { field: 'tools', reason: 'Tools must not be empty' });
    const user = { name: 'a', password: 'long enough', scopes: ['admin', 'admin'] };
    const twice = failureOf(await send('POST', '/users', user), 'ValidationError');
    assert.deepEqual(twice.details, { field: 'scopes', reason: 'Scopes must not repeat an item' });
  });
});
