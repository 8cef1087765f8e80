import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { plainJsonFault, textFault } from '../../src/plain-json.ts';
import { BASE, startApp } from '../helper.ts';
import { failureOf, openSearchFailureOf } from './failure.ts';

/** JSON texts of what no body may hold as a value, and the reason. */
const VALUES: [string, RegExp][] = [
  ['"\\u0000"', /U\+0000/],
  ['"a\\u0000b"', /U\+0000/],
  ['"\\ud800"', /lone surrogate/],
  ['"a\\udc00"', /lone surrogate/],
  ['"\\udc00\\ud800"', /lone surrogate/],
  ['1e400', /beyond the range/],
];

/** The same for keys: the text between the braces. */
const MEMBERS: [string, RegExp][] = [
  ['"a\\u0000":1', /U\+0000/],
  ['"\\ud83d":1', /lone surrogate/],
  ['"__proto__":{"polluted":true}', /'__proto__' is not allowed/],
  ['"__proto__":null', /'__proto__' is not allowed/],
  ['"\\u005f_proto__":1', /'__proto__' is not allowed/],
  ['"constructor":{"prototype":{"polluted":true}}', /'constructor' is not allowed/],
  ['"constructor":{"prototype":null}', /'constructor' is not allowed/],
];

/** Where a body can hold any JSON: a text around the value, and its path. */
const PLACES: [string, (json: string) => string, string][] = [
  ['/tools', (json) => json, ''],
  ['/tools', (json) => `{"tools":${json}}`, 'tools'],
  [
    '/tools',
    (json) => `{"tools":[{"name":"a","description":"","metadata":${json}}]}`,
    'tools[0].metadata',
  ],
  [
    '/tools',
    (json) =>
      `{"tools":[{"name":"a","description":"","parameters":{"q":{"type":"any","description":"","default":[1,{"deep":${json}}]}}}]}`,
    'tools[0].parameters.q.default[1].deep',
  ],
  [
    '/tools',
    (json) =>
      `{"tools":[{"name":"b","description":""},{"name":"a","description":"","input_schema":{"type":"object","x":{"y":[${json}]}}}]}`,
    'tools[1].input_schema.x.y[0]',
  ],
  [
    '/tools',
    (json) => `{"tools":[{"name":"a","description":"","annotations":{"x":${json}}}]}`,
    'tools[0].annotations.x',
  ],
  ['/users', (json) => `{"name":${json}}`, 'name'],
];

test('unsafe text', async (t) => {
  const { inject, get, send } = await startApp(t);
  const post = (path: string, payload: string, type = 'application/json') =>
    inject({ method: 'POST', url: BASE + path, payload, headers: { 'content-type': type } });

  for (const [route, around, path] of PLACES) {
    await t.test(`is refused in a body of ${route} at ${path || 'the root'}`, async () => {
      for (const [value, reason] of VALUES) {
        const { details } = failureOf(await post(route, around(value)), 'ValidationError');
        assert.equal(details.field, path || 'body');
        assert.match(details.reason ?? '', reason);
      }
      for (const [member, reason] of MEMBERS) {
        const answer = await post(route, around(`{"fine":0,${member}}`));
        const { details } = failureOf(answer, 'ValidationError');
        assert.ok(details.field?.startsWith(path), `${details.field} at ${path}`);
        assert.match(details.reason ?? '', reason);
        assert.ok(answer.body.isWellFormed() && !answer.body.includes('\0'));
      }
      assert.equal(Object.hasOwn(Object.prototype, 'polluted'), false);
    });
  }

  await t.test('is refused inside the JSON text of attributes.input_schema', async () => {
    await send('POST', '/tools/_register', { tools: [{ type: 'T', name: 'known' }] });
    for (const [path, name] of [
      ['/tools/_register', 'new'],
      ['/tools/_update', 'known'],
    ] as const) {
      for (const [member, reason] of MEMBERS) {
        const input_schema = `{"type":"object","properties":{"q":{${member}}}}`;
        const tools = [{ type: 'T', name, attributes: { input_schema } }];
        const [, text] = openSearchFailureOf(await send('POST', path, { tools }), 400);
        assert.match(text, /^Validation Failed: 1: tools\[0\]\.attributes\.input_schema/);
        assert.match(text, reason);
      }
    }
    await send('POST', '/tools/_remove', ['known']);
  });

  await t.test('is refused in lines of names to remove', async () => {
    for (const [body, reason] of [
      ['a\0b\n', /U\+0000/],
      ['"a\\u0000b"\n', /U\+0000/],
      ['a\n"\\ud800"\n', /lone surrogate/],
      ['{"__proto__":1}\n', /'__proto__' is not allowed/],
    ] as const) {
      const [, text] = openSearchFailureOf(
        await post('/tools/_remove', body, 'application/x-ndjson'),
        400,
      );
      assert.match(text, reason);
    }
    const answer = await inject({
      method: 'POST',
      url: `${BASE}/tools/_remove`,
      payload: Buffer.from([0x61, 0xff, 0x0a]),
      headers: { 'content-type': 'application/x-ndjson' },
    });
    assert.match(openSearchFailureOf(answer, 400)[1], /must be UTF-8/);
  });

  await t.test('is refused in a path', async () => {
    for (const id of [
      '%00',
      'tool-a%00',
      '__proto__',
      'constructor',
      'constructor.prototype',
      '..%2F..',
      'tool-%F0%9F%98%80',
      'tool-A',
      '%20tool-a',
      'tool-',
    ]) {
      for (const suffix of ['', '/versions']) {
        const { message, details } = failureOf(
          await get(`/tools/${id}${suffix}`),
          'ValidationError',
        );
        assert.equal(message, 'Invalid path parameters');
        assert.equal(details.field, 'tool_id');
      }
    }
    for (const id of ['%E0%A4%A', '%FF', '%C0%80', '%ED%A0%80', '%zz', '%']) {
      const { message, details } = failureOf(await get(`/tools/${id}`), 'ValidationError');
      assert.equal(message, 'Invalid path parameters');
      assert.equal(details.field, 'path');
    }
    for (const name of ['%00', 'a%00b', 'a%20b', 'a%3Ab']) {
      assert.equal(failureOf(await get(`/users/${name}`), 'ValidationError').details.field, 'name');
    }
    failureOf(await get('/users/__proto__'), 'NotFoundError');
    failureOf(await get(`/tools/${'a'.repeat(513)}`), 'UriTooLongError');
    failureOf(await get(`/tools/${'a'.repeat(512)}`), 'ValidationError');
  });

  await t.test('names that objects have anyway are plain data', async () => {
    const names = [
      '__proto__',
      'constructor',
      'prototype',
      'toString',
      'hasOwnProperty',
      'valueOf',
      'constructor.prototype',
    ];
    const parameter = { type: 'string', description: '' };
    const own = names.filter((name) => name !== '__proto__');
    const tools = names.map((name) => ({
      name,
      description: name,
      parameters: Object.fromEntries(own.map((each) => [each, parameter])),
      metadata: { category: name },
      tags: [name],
    }));
    assert.equal((await send('POST', '/tools', { tools })).statusCode, 201);
    for (const [index, name] of names.entries()) {
      for (const filter of ['category', 'tags']) {
        const { data } = (await get(`/tools?${filter}=${name}`)).json();
        assert.equal(data.tools.length, 1);
        const { tool_id, created_at, updated_at, status, usage_stats, ...rest } = data.tools[0];
        assert.deepEqual(rest, tools[index]);
        const key = { category: name, tags: [name] }[filter];
        assert.deepEqual(data.filters_applied[filter], key);
      }
    }
    const removed = await send('POST', '/tools/_remove', names);
    assert.equal(removed.statusCode, 200, removed.body);
    assert.equal((await get('/tools')).json().data.pagination.total, 0);
  });

  await t.test('all other characters come back as they were given', async () => {
    const text = '\u0001\t\r\n"\\/\u007f\u0080é\u2028\u2029\ufeff\uffff😀\u{10ffff}が';
    const tool = {
      name: 'any',
      description: text,
      parameters: { [text]: { type: 'any', description: text, default: [text], enum: [text] } },
      metadata: { category: text, version: text, author: text },
      title: text,
      tags: [text],
      annotations: { [text]: text },
      input_schema: { type: 'object', title: text, properties: { [text]: { const: text } } },
    };
    const registered = (await send('POST', '/tools', { tools: [tool] })).json().data.tools[0];
    const got = (await get(`/tools/${registered.tool_id}`)).json().data;
    for (const [key, value] of Object.entries(tool)) assert.deepEqual(got[key], value, key);
    const { data } = (await get(`/tools?category=${encodeURIComponent(text)}`)).json();
    assert.equal(data.pagination.total, 1);
    assert.equal(data.filters_applied.category, text);
  });
});

test('plainJsonFault finds nothing in any JSON of well-formed texts', () => {
  const keys = fc
    .string({ unit: 'binary' })
    .filter((key) => !key.includes('\0') && key !== '__proto__');
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 5 },
      keys,
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.constantFrom(null, true, false),
      fc.array(tie('tree')),
      fc.dictionary(
        keys.filter((key) => key !== 'constructor'),
        tie('tree'),
      ),
    ),
  }));
  fc.assert(fc.property(tree, (value) => assert.equal(plainJsonFault(value), undefined)));
});

test('plainJsonFault names the place of a fault, wherever it is', () => {
  const step = fc.oneof(fc.constantFrom('a', 'key', 'x_y'), fc.nat({ max: 3 }));
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 15 }), (steps) => {
      let value: unknown = '\ud800';
      for (const each of steps.toReversed()) {
        value =
          typeof each === 'number' ? [...Array(each).fill(0), value] : { before: 0, [each]: value };
      }
      const path = steps
        .map((each) => (typeof each === 'number' ? `[${each}]` : `.${each}`))
        .join('');
      const fault = plainJsonFault(value);
      assert.deepEqual(fault, {
        field: path.replace(/^\./, ''),
        reason: 'A lone surrogate is not allowed',
      });
    }),
  );
});

test('textFault refuses exactly what UTF-8 databases do not keep', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.nat({ max: 0xffff }).map((code) => String.fromCharCode(code)) }),
      (text) => {
        const kept = Buffer.from(text).toString() === text && !text.includes('\0');
        assert.equal(textFault(text) === undefined, kept);
      },
    ),
  );
});
