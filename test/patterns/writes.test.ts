import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HTTPMethods } from 'fastify';
import { BASE } from '../helper.ts';
import { twoCatalogues } from './two-catalogues.ts';

const PATTERNS = ['github__*', '!*_branch'];
/** One that exists outside of the patterns, and one that exists nowhere. */
const [HIDDEN, NOWHERE] = ['gitlab__list_issues', 'gitlab__nowhere'];
const CALL = { execution_time_ms: 5, success: true };

type Request = [HTTPMethods, string, object];

/** What a token may try on a tool by its name and id; each must end as if it were not there. */
const TRIES: Record<string, (name: string, id: string) => Request> = {
  'POST /tools': (name) => ['POST', '/tools', { tools: [{ name, description: '' }] }],
  'POST /tools, skipping': (name) => [
    'POST',
    '/tools?on_conflict=skip',
    { tools: [{ name, description: '' }] },
  ],
  'POST /tools, updating': (name) => [
    'POST',
    '/tools?on_conflict=update',
    { tools: [{ name, description: '' }] },
  ],
  'PUT /tools/:tool_id': (_, id) => ['PUT', `/tools/${id}`, { description: 'x' }],
  'PUT /tools/:tool_id, onto the name': (name) => ['PUT', '/tools/tool-0', { name }],
  'DELETE /tools/:tool_id': (_, id) => ['DELETE', `/tools/${id}`, {}],
  'POST /tools/_register': (name) => ['POST', '/tools/_register', { tools: [{ type: 'x', name }] }],
  'POST /tools/_update': (name) => [
    'POST',
    '/tools/_update',
    { tools: [{ name, description: 'x' }] },
  ],
  'POST /tools/_remove': (name) => ['POST', '/tools/_remove', [name]],
  'POST /tools/:tool_id/calls': (_, id) => ['POST', `/tools/${id}/calls`, { calls: [CALL] }],
  'POST /calls': (name) => ['POST', '/calls', { calls: [{ ...CALL, name }] }],
  'POST /calls, by id': (_, id) => ['POST', '/calls', { calls: [{ ...CALL, tool_id: id }] }],
};

test('no write touches or tells of a tool outside of the patterns', async (t) => {
  const { narrowed, rows } = await twoCatalogues(t, PATTERNS);
  const { app, store, bearer, routes } = narrowed;
  const writes = routes.filter(
    ({ url, method, access }) =>
      url.startsWith(BASE) && method !== 'GET' && /^(tools|usage):write$/.test(access ?? ''),
  );
  assert.deepEqual(
    writes.map(({ method, url }) => `${method} ${url.slice(BASE.length)}`).sort(),
    [...new Set(Object.keys(TRIES).map((key) => key.split(',')[0] ?? ''))].sort(),
    'a route that writes tools is missing from this test',
  );
  const hidden = rows.find(({ name }) => name === HIDDEN)?.tool_id ?? '';
  const state = () => JSON.stringify(store.db.raw.prepare('select * from tools order by id').all());
  const before = state();
  for (const [what, request] of Object.entries(TRIES)) {
    const [one, other] = await Promise.all(
      [
        [HIDDEN, hidden],
        [NOWHERE, 'tool-nowhere'],
      ].map(async ([name = '', id = '']) => {
        const [method, path, payload] = request(name, id);
        const headers = { authorization: bearer, 'content-type': 'application/json' };
        const url = BASE + path;
        const answer = await app.inject({ method, url, headers, payload: JSON.stringify(payload) });
        const body = answer.body.replaceAll(name, 'NAME').replaceAll(id, 'ID');
        return { status: answer.statusCode, body, etag: answer.headers.etag };
      }),
    );
    assert.deepEqual(one, other, what);
    assert.ok([400, 403, 404].includes(one?.status ?? 0), `${what}: ${one?.status} ${one?.body}`);
  }
  assert.equal(state(), before);
});

test('within the patterns everything is written as without', async (t) => {
  const { narrowed } = await twoCatalogues(t, PATTERNS);
  const { app, bearer } = narrowed;
  const send = async (method: HTTPMethods, path: string, payload: object) => {
    const headers = { authorization: bearer, 'content-type': 'application/json' };
    const url = BASE + path;
    return app.inject({ method, url, headers, payload: JSON.stringify(payload) });
  };
  const tools = [{ name: 'github__new', description: 'It is new' }];
  const { tool_id } = (await send('POST', '/tools', { tools })).json().data.tools[0];
  assert.equal((await send('POST', '/tools', { tools })).statusCode, 409);
  const calls = [
    { ...CALL, name: 'github__new' },
    { ...CALL, name: HIDDEN },
  ];
  const { recorded, refused } = (await send('POST', '/calls', { calls })).json().data;
  assert.deepEqual([recorded, refused], [1, 1]);
  const lines = await app.inject({
    method: 'POST',
    url: `${BASE}/calls`,
    headers: { authorization: bearer, 'content-type': 'application/x-ndjson' },
    payload: calls.map((call) => JSON.stringify(call)).join('\n'),
  });
  assert.deepEqual(lines.json().data.items, [
    { index: 1, status: 'refused', reason: 'unknown_tool' },
  ]);
  const renamed = await send('PUT', `/tools/${tool_id}`, { name: 'github__newer' });
  assert.equal(renamed.json().data.name, 'github__newer');
  assert.equal(
    (await send('PUT', `/tools/${tool_id}`, { name: 'github__x_branch' })).statusCode,
    403,
  );
  assert.equal((await send('POST', '/tools/_remove', ['github__newer'])).statusCode, 200);
});

test('voiding calls takes back only those of tools within', async (t) => {
  const { narrowed } = await twoCatalogues(t, PATTERNS);
  const { store } = narrowed;
  const seen = store.narrowed(PATTERNS);
  const far = Number.MAX_SAFE_INTEGER;
  const all = (await store.calls.after(undefined, {}, 10_000)).length;
  const own = (await seen.calls.after(undefined, {}, 10_000)).length;
  assert.ok(own > 0 && own < all);
  assert.equal(await seen.calls.voidSome('usr-gateway', 0, far), own);
  assert.equal((await store.calls.after(undefined, {}, 10_000)).length, all - own);
});
