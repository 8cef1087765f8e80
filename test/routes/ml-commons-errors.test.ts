import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BASE, startApp } from '../helper.ts';
import { openSearchFailureOf } from '../http/failure.ts';

interface Group {
  path: string;
  status: number;
  type: string;
  /** What is wrong, the body, and the reason (or a part of it). */
  rows: [string, unknown, string | RegExp][];
}

const one = (tool: object) => ({ tools: [{ type: 'T', ...tool }] });
const schema = (input_schema: unknown) => one({ name: 'new', attributes: { input_schema } });
const many = (length: number) => Array.from({ length }, (_, at) => ({ type: 'T', name: `t${at}` }));

const NO_SCHEMA = 'tools[0].attributes.input_schema must be a JSON Schema object, or its JSON text';
const BLANK = 'tool name can not be null or blank';

/** In ml-commons' own words, behind "Validation Failed: 1: ". */
const validation = (path: string, rows: Group['rows']): Group => ({
  path,
  status: 400,
  type: 'action_request_validation_exception',
  rows: rows.map(([what, body, reason]) => [what, body, `Validation Failed: 1: ${reason};`]),
});
const argument = (path: string, rows: Group['rows']): Group => ({
  path,
  status: 400,
  type: 'illegal_argument_exception',
  rows,
});
const missing = (path: string, rows: Group['rows']): Group => ({
  path,
  status: 404,
  type: 'resource_not_found_exception',
  rows,
});

const GROUPS: Group[] = [
  ...['_register', '_update'].flatMap((path) => [
    validation(path, [
      ['an object without tools', {}, 'tools list can not be null'],
      ['tools that are null', { tools: null }, 'tools list can not be null'],
      ['no tool', { tools: [] }, 'tools list can not be null'],
      ['null', null, 'tools list can not be null'],
      ['no body', undefined, 'tools list can not be null'],
    ]),
    argument(path, [
      ['an array', many(1), 'body: Body must be of type object'],
      ['tools that are an object', { tools: {} }, 'tools: Tools must be of type array'],
      ['a text as tool', { tools: ['a'] }, 'tools[0]: The item must be of type object'],
      ['a number as name', one({ name: 5 }), 'tools[0].name: Name must be of type string'],
      ['a name with a space', one({ name: 'a b' }), /^tools\[0\]\.name: Name must be 1 to 128 of/],
      [
        'an unknown key',
        one({ name: 'known', inputSchema: {} }),
        /'inputSchema' is not a known key$/,
      ],
      ['a misspelt key', one({ name: 'known', atributes: {} }), /did you mean 'attributes'\?$/],
      ['a text as attributes', one({ name: 'known', attributes: 'a' }), /must be of type object$/],
      ['null as parameters', one({ name: 'known', parameters: null }), /must be of type object$/],
      [
        '5 as description',
        one({ name: 'known', description: 5 }),
        /must be of type string or null$/,
      ],
      ['501 tools', { tools: many(501) }, 'tools: Tools must have at most 500 items'],
    ]),
  ]),
  argument('_register', [
    ['no type', { tools: [{ name: 'new' }] }, 'type field required'],
    ['a type that is null', one({ name: 'new', type: null }), 'type field required'],
    [
      'a name that exists',
      { tools: [...many(2), { type: 'T', name: 'known' }] },
      'Unable to register tool: a tool with the same name already exists.',
    ],
  ]),
  validation('_register', [
    ['no name', one({}), BLANK],
    ['a name that is null', one({ name: null }), BLANK],
    ['a blank name', one({ name: ' ' }), BLANK],
    [
      'a name twice',
      { tools: [...many(2), ...many(1)] },
      'duplicate tool name: t0 found in the request',
    ],
    ['a schema that is null', schema(null), NO_SCHEMA],
    ['a schema that is no JSON', schema('{'), NO_SCHEMA],
    ['a schema that is a list', schema('[]'), NO_SCHEMA],
    ['a schema that is a number', schema(5), NO_SCHEMA],
    [
      'a long description',
      one({ name: 'new', description: 'x'.repeat(16_385) }),
      'tools[0].description: Description must be at most 16 KiB of UTF-8',
    ],
    [
      'large attributes',
      one({ name: 'new', attributes: { x: 'x'.repeat(262_144) } }),
      'tools[0]: It must be at most 256 KiB of JSON text',
    ],
  ]),
  argument('_update', [
    ['no name', { tools: [{ description: 'x' }] }, 'name field required'],
    ['a name that is null', one({ name: null }), 'name field required'],
  ]),
  validation('_update', [
    ['a blank name', one({ name: '' }), BLANK],
    [
      'a broken schema',
      { tools: [{ name: 'other' }, { name: 'known', attributes: { input_schema: { type: 5 } } }] },
      'tools[1].attributes.input_schema.type: It must be "object"',
    ],
  ]),
  missing('_update', [
    [
      'an unknown name',
      one({ name: 'none', description: 'x' }),
      'Failed to update tools as none of them is found in index',
    ],
    [
      'an unknown name beside a known one',
      { tools: [{ name: 'known', description: 'x' }, { name: 'none' }] },
      'Failed to find one or more requested tools in system index',
    ],
    [
      'a name in another case',
      one({ name: 'Known', description: 'x' }),
      'Failed to update tools as none of them is found in index',
    ],
  ]),
  validation('_remove', [
    ['no body', undefined, 'tools list can not be null'],
    ['null', null, 'tools list can not be null'],
    ['no name', [], 'tools list can not be null'],
    ['blank names', ['', ' , ,'], 'tools list can not be null'],
    [
      '501 names',
      [
        many(501)
          .map(({ name }) => name)
          .join(),
      ],
      'tools list can have 500 names',
    ],
  ]),
  argument('_remove', [
    ['an object', { tools: ['known'] }, 'body: Body must be of type array'],
    ['a text', 'known', 'body: Body must be of type array'],
    ['a number as name', ['known', 5], '[1]: The item must be of type string'],
    ['501 texts', Array(501).fill('known'), 'body: Body must have at most 500 items'],
  ]),
  missing('_remove', [
    [
      'an unknown name',
      ['none'],
      'Unable to remove tools as no tool in the request found in system index',
    ],
    [
      'unknown names beside a known one',
      ['known', 'none, nothing'],
      'Unable to remove tools as these tools: [none, nothing] are not found in system index',
    ],
    [
      'parts of a name, another case, a pattern',
      ['know', 'nown', 'KNOWN', 'kn*', '_all'],
      'Unable to remove tools as no tool in the request found in system index',
    ],
  ]),
];

test("ml-commons' errors", async (t) => {
  const { app, inject, get, send } = await startApp(t);
  const tools = ['known', 'other'].map((name) => ({ type: 'T', name }));
  assert.equal((await send('POST', '/tools/_register', { tools })).statusCode, 200);
  const kept = (await get('/tools/_list')).body;

  for (const { path, status, type, rows } of GROUPS) {
    for (const [what, body, reason] of rows) {
      await t.test(`${path} with ${what}: ${status} ${type}, and nothing changes`, async () => {
        const answer = await send('POST', `/tools/${path}`, body);
        const [shownType, shownReason] = openSearchFailureOf(answer, status);
        if (typeof reason === 'string') assert.equal(shownReason, reason);
        else assert.match(shownReason, reason);
        assert.equal(shownType, type);
        assert.equal((await get('/tools/_list')).body, kept);
      });
    }
  }

  for (const [payload, type, status] of [
    ['', 'application/x-ndjson', 400],
    ['\n \n', 'application/x-ndjson', 400],
    ['{"a":1}\n', 'application/x-ndjson', 400],
    ['["known"\n', 'application/x-ndjson', 400],
    ['known\n', 'application/x-ndjson; charset=utf-16', 415],
    ['known', 'application/json', 400],
    ['known', 'text/csv', 415],
  ] as const) {
    await t.test(`_remove with ${JSON.stringify(payload)} as ${type}: ${status}`, async () => {
      const headers = { 'content-type': type };
      const url = `${BASE}/tools/_remove`;
      openSearchFailureOf(await inject({ method: 'POST', url, payload, headers }), status);
      assert.equal((await get('/tools/_list')).body, kept);
    });
  }

  await t.test('_list takes no parameters but those that are known everywhere', async () => {
    for (const query of ['size=10', 'from=0', 'search=a']) {
      const [type] = openSearchFailureOf(await get(`/tools/_list?${query}`), 400);
      assert.equal(type, 'illegal_argument_exception');
    }
    assert.equal((await get('/tools/_list?human&error_trace')).body, kept);
  });

  await t.test('a stranger is refused in the same shape, below both base paths', async () => {
    for (const base of [BASE, BASE.replace('_ml', '_agent')]) {
      const [type, reason] = openSearchFailureOf(await app.inject(`${base}/tools/_list`), 401);
      assert.deepEqual([type, reason], ['security_exception', 'Authentication required']);
      assert.equal((await inject({ method: 'GET', url: `${base}/tools/_list` })).body, kept);
    }
  });

  await t.test('a long list of unknown names is answered briefly', async () => {
    const names = Array.from({ length: 400 }, (_, at) => `${at}${'x'.repeat(9_000)}`);
    const answer = await send('POST', '/tools/_remove', [...names, 'known']);
    openSearchFailureOf(answer, 404);
    assert.ok(answer.body.length < 120_000, `${answer.body.length} characters`);
  });
});
