import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createToken } from '../../src/auth/tokens.ts';
import { BASE, startApp } from '../helper.ts';
import { listen } from './clients.ts';

const PATHS = [BASE, `${BASE}/`, '/_plugins/_agent/mcp', '/mcp', '/mcp/', '/mcp/lean'];
const ACCEPTS = [undefined, '*/*', 'application/json', 'text/event-stream', 'text/html'];

const METHODS: Record<string, { params?: object; holds: RegExp }> = {
  initialize: {
    params: {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'curl', version: '8' },
    },
    holds: /"protocolVersion":"2025-06-18"/,
  },
  'server/discover': { holds: /"supportedVersions"/ },
  ping: { holds: /"result":\{\}/ },
  'tools/list': { holds: /"name":"search_memory"/ },
  'tools/call': {
    params: { name: 'recall', arguments: { query: 'anything' } },
    holds: /"structuredContent":\{"hits":\[\]\}/,
  },
  'prompts/list': { holds: /"prompts":\[\]/ },
  'resources/list': { holds: /"resources":\[\]/ },
  'resources/templates/list': { holds: /"resourceTemplates":\[\]/ },
};

test('one JSON-RPC object is answered by plain JSON, whatever it accepts, on every path', async (t) => {
  const { inject } = await startApp(t);
  for (const [method, { params, holds }] of Object.entries(METHODS)) {
    for (const url of PATHS) {
      for (const accept of ACCEPTS) {
        const answer = await inject({
          method: 'POST',
          url,
          headers: { 'content-type': 'application/json', ...(accept && { accept }) },
          payload: JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }),
        });
        const what = `${method} ${url} ${accept}`;
        assert.equal(answer.statusCode, 200, `${what}: ${answer.body}`);
        assert.match(answer.headers['content-type'] as string, /^application\/json/, what);
        assert.equal(answer.json().id, 7, what);
        assert.match(answer.body, holds, what);
      }
    }
  }
});

test('a stream is only for those who take one, and a notification is taken without an answer', async (t) => {
  const { inject } = await startApp(t);
  const post = (message: object) =>
    inject({
      method: 'POST',
      url: '/mcp',
      headers: { 'content-type': 'application/json' },
      payload: JSON.stringify({ jsonrpc: '2.0', ...message }),
    });
  const listening = await post({
    id: 1,
    method: 'subscriptions/listen',
    params: { notifications: { toolsListChanged: true } },
  });
  assert.equal(listening.statusCode, 406);
  assert.match(listening.json().error.data.reason, /text\/event-stream/);
  assert.equal((await post({ method: 'notifications/initialized' })).statusCode, 202);
});

test('wrong params are named, also those that the SDK would call a fault of ours', async (t) => {
  const { inject } = await startApp(t);
  for (const [method, params, field] of [
    ['tools/call', undefined, 'name'],
    ['tools/call', { name: 5 }, 'name'],
    ['tools/call', { name: 'recall', arguments: 'x' }, 'arguments'],
    ['tools/list', { cursor: 5 }, 'cursor'],
    ['tools/list', { cursor: 'x' }, 'cursor'],
    ['tools/search', { tags: 'x' }, 'tags'],
    ['prompts/list', { cursor: {} }, 'cursor'],
    ['resources/read', {}, 'uri'],
    ['initialize', { protocolVersion: 5 }, 'protocolVersion'],
    ['initialize', { clientInfo: {} }, 'clientInfo.name'],
    ['ping', [], 'params'],
    ['ping', 'x', 'params'],
  ] as const) {
    const answer = await inject({
      method: 'POST',
      url: '/mcp',
      headers: { 'content-type': 'application/json' },
      payload: JSON.stringify({ jsonrpc: '2.0', id: 'a', method, params }),
    });
    const { id, error } = answer.json();
    assert.deepEqual([id, error.code, error.data.field], ['a', -32_602, field], answer.body);
    assert.doesNotMatch(error.message, /invalid_type/);
  }
});

test('a bare initialize is answered, and a batch by a batch', async (t) => {
  const { inject } = await startApp(t);
  const post = async (payload: object) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await inject({ method: 'POST', url: '/mcp', headers, payload });
    assert.match(String(answer.headers['content-type']), /^application\/json/);
    return answer.json();
  };
  const { result } = await post({ jsonrpc: '2.0', id: 1, method: 'initialize' });
  assert.equal(result.protocolVersion, '2025-11-25');
  const ping = (id: number) => ({ jsonrpc: '2.0', id, method: 'ping' });
  const answers: { id: number }[] = await post([ping(1), ping(2)]);
  assert.deepEqual(answers.map(({ id }) => id).sort(), [1, 2]);
  assert.equal((await post([ping(3)])).length, 1);
});

const REFUSED: [string, object, number, number][] = [
  ['no JSON', { payload: '{"jsonrpc":' }, 400, -32_700],
  ['nothing', { payload: '' }, 400, -32_600],
  ['a number', { payload: '7' }, 400, -32_600],
  ['an empty batch', { payload: '[]' }, 400, -32_600],
  ['too large', { payload: `"${'x'.repeat(5 * 1024 * 1024)}"` }, 413, -32_600],
  ['a form', { headers: { 'content-type': 'text/plain' } }, 415, -32_600],
  ['no credentials', { headers: { authorization: '' } }, 401, -32_001],
  ['a foreign origin', { headers: { origin: 'https://evil.example' } }, 403, -32_003],
  ['GET', { method: 'GET' }, 405, -32_600],
  ['DELETE', { method: 'DELETE' }, 405, -32_600],
  ['an unknown query', { url: '/mcp?token=x' }, 400, -32_600],
];

test('what is refused before the protocol is refused in the terms of JSON-RPC', async (t) => {
  const { inject } = await startApp(t);
  for (const [what, { headers, ...request }, status, code] of REFUSED as [
    string,
    { headers?: Record<string, string> },
    number,
    number,
  ][]) {
    const answer = await inject({
      method: 'POST',
      url: '/mcp',
      payload: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
      ...request,
      headers: { 'content-type': 'application/json', ...headers },
    });
    assert.equal(answer.statusCode, status, `${what}: ${answer.body}`);
    const { jsonrpc, error } = answer.json();
    assert.equal(jsonrpc, '2.0', what);
    assert.equal(error.code, code, `${what}: ${answer.body}`);
    if (status === 405) assert.equal(answer.headers['allow'], 'POST', what);
    if (status === 401) assert.match(String(answer.headers['www-authenticate']), /Basic.*Bearer/);
  }
});

test('a name that this machine does not have is refused, one from the settings is not', async (t) => {
  const local = await startApp(t);
  const named = await startApp(t, { TOOLCRIB_MCP_HOSTS: 'tools.example.com' });
  const open = await startApp(t, { TOOLCRIB_HOST: '0.0.0.0' });
  const status = async ({ inject }: typeof local, host: string) => {
    const answer = await inject({
      method: 'POST',
      url: '/mcp',
      headers: { host, 'content-type': 'application/json' },
      payload: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    });
    return answer.statusCode;
  };
  assert.equal(await status(local, 'localhost:9200'), 200);
  assert.equal(await status(local, 'evil.example'), 403);
  assert.equal(await status(named, 'tools.example.com'), 200);
  assert.equal(await status(named, 'evil.example'), 403);
  assert.equal(await status(open, 'anything.example'), 200);
});

test('a page of a configured origin may ask, also by a preflight without credentials', async (t) => {
  const origin = 'https://chat.example.com';
  const { app, inject } = await startApp(t, { TOOLCRIB_MCP_ORIGINS: origin });
  const preflight = await app.inject({
    method: 'OPTIONS',
    url: '/mcp',
    headers: { origin, 'access-control-request-method': 'POST' },
  });
  assert.equal(preflight.statusCode, 204);
  assert.equal(preflight.headers['access-control-allow-origin'], origin);
  const asked = await inject({
    method: 'POST',
    url: '/mcp',
    headers: { origin, 'sec-fetch-site': 'cross-site', 'content-type': 'application/json' },
    payload: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
  });
  assert.equal(asked.statusCode, 200);
  assert.equal(asked.headers['access-control-allow-origin'], origin);
  const foreign = await app.inject({
    method: 'OPTIONS',
    url: '/mcp',
    headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
  });
  assert.equal(foreign.statusCode, 403);
  const elsewhere = await inject({
    method: 'POST',
    url: `${BASE}/tools`,
    headers: { origin, 'content-type': 'application/json' },
    payload: '{}',
  });
  assert.equal(elsewhere.statusCode, 403);
});

test('a missing scope is 403 and named, and each built-in tool wants its own', async (t) => {
  const { app, addUser, store } = await startApp(t);
  const authorization = await addUser('reader', ['memory:read']);
  const call = async (message: object, header = authorization) =>
    app.inject({
      method: 'POST',
      url: '/mcp',
      headers: { authorization: header, 'content-type': 'application/json' },
      payload: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
    });
  const refused = await call({
    method: 'tools/call',
    params: { name: 'remember', arguments: { content: 'x', path: 'y' } },
  });
  assert.equal(refused.statusCode, 403);
  assert.equal(refused.json().error.data.scope, 'memory:write');
  assert.match(String(refused.headers['www-authenticate']), /scope="memory:write"/);
  const named = (await call({ method: 'tools/list' })).json().result.tools as { name: string }[];
  const names = named.map(({ name }) => name);
  assert.ok(
    names.includes('recall') && !names.includes('remember') && !names.includes('call_tool'),
  );

  const owner = await store.users.get('reader');
  assert.ok(owner);
  const { text } = await createToken(
    store,
    { id: owner.id, name: 'reader', scopes: ['memory:read'] },
    {
      name: 'agent',
      scopes: ['memory:read'],
    },
  );
  const byToken = await call({ method: 'ping' }, `Bearer ${text}`);
  assert.equal(byToken.statusCode, 200);
});

test('over a socket the answer is the same, and the connection lives on', async (t) => {
  const { origin, authorization } = await listen(t);
  for (let round = 0; round < 3; round += 1) {
    const answer = await fetch(`${origin}/mcp`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    });
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
    assert.deepEqual(await answer.json(), { jsonrpc: '2.0', id: 1, result: {} });
  }
});
