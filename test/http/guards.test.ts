import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HTTPMethods } from 'fastify';
import { BASE } from '../helper.ts';
import { startAppWithRoutes } from './declared-routes.ts';
import { failureOf, jsonRpcFailureOf, openSearchFailureOf, speaksJsonRpc } from './failure.ts';

const WRITES = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** What a page can send to another site without asking it first. */
const FORM_LIKE = [
  ...['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'text/plain'],
  ...['text/plain;charset=UTF-8', 'TEXT/PLAIN', ' text/plain', 'text/plain; a=application/json'],
];

const FOREIGN_ORIGINS = [
  ...['http://evil.example', 'https://evil.example', 'null', '', 'localhost:80', 'file://'],
  ...['http://localhost:81', 'http://localhost', 'http://localhost:80.evil.example'],
  ...[
    'http://localhost:80@evil.example',
    'http://evil.example/localhost:80',
    'chrome-extension://x',
  ],
  ...['http://localhost:80 http://evil.example', 'http://evil.example, http://localhost:80'],
];

test('guards', async (t) => {
  const { inject, routes } = await startAppWithRoutes(t);
  const writes = routes.filter(({ method }) => WRITES.has(method));
  assert.ok(writes.length >= 20);

  async function refused(headers: Record<string, string>, status: 403 | 415, payload?: string) {
    for (const { method, url } of writes) {
      const path = url.replace(':tool_id', 'tool-a').replace(':name', 'someone');
      const request = { method: method as HTTPMethods, url: path, headers };
      const answer = await inject(payload === undefined ? request : { ...request, payload });
      const type = status === 403 ? 'AuthorizationError' : 'UnsupportedMediaTypeError';
      if (/_(register|update|remove)$/.test(url)) openSearchFailureOf(answer, status);
      else if (speaksJsonRpc(url)) jsonRpcFailureOf(answer, type);
      else failureOf(answer, type);
    }
  }

  for (const type of FORM_LIKE) {
    await t.test(`every write refuses a body of ${type}`, async () => {
      await refused({ 'content-type': type }, 415, '{"tools":[]}');
      await refused({ 'content-type': type }, 415);
    });
  }

  await t.test('every write refuses a foreign Origin', async () => {
    for (const origin of FOREIGN_ORIGINS) await refused({ origin }, 403);
  });

  await t.test(
    'every write refuses Sec-Fetch-Site: cross-site, with or without an Origin',
    async () => {
      await refused({ 'sec-fetch-site': 'cross-site' }, 403);
      await refused({ 'sec-fetch-site': 'cross-site', origin: 'http://localhost:80' }, 403);
    },
  );

  await t.test('the own origin may write, in any case of the host', async () => {
    for (const [host, origin] of [
      ['localhost:80', 'http://localhost:80'],
      ['localhost:9200', 'http://localhost:9200'],
      ['Tools.Example', 'https://tools.example'],
      ['[::1]:9200', 'http://[::1]:9200'],
    ] as const) {
      const answer = await inject({
        method: 'POST',
        url: `${BASE}/tools?on_conflict=skip`,
        headers: { host, origin, 'sec-fetch-site': 'same-origin' },
        payload: { tools: [{ name: 'own', description: '' }] },
      });
      assert.ok(answer.statusCode < 300, `${host}: ${answer.body}`);
    }
  });

  await t.test(
    'reads may come from anywhere, since no answer allows another origin to see it',
    async () => {
      for (const method of ['GET', 'HEAD'] as const) {
        const headers = { origin: 'http://evil.example', 'sec-fetch-site': 'cross-site' };
        const answer = await inject({ method, url: `${BASE}/tools`, headers });
        assert.equal(answer.statusCode, 200);
        assert.equal(answer.headers['access-control-allow-origin'], undefined);
      }
    },
  );

  await t.test('a preflight from another origin is refused', async () => {
    const headers = { origin: 'http://evil.example', 'access-control-request-method': 'DELETE' };
    const answer = await inject({ method: 'OPTIONS', url: `${BASE}/tools/tool-a`, headers });
    failureOf(answer, 'AuthorizationError');
    assert.equal(answer.headers['access-control-allow-origin'], undefined);
  });

  await t.test('behind a trusted gateway the origin is compared with the outer host', async (t) => {
    const behind = await startAppWithRoutes(t, { TOOLCRIB_TRUSTED_PROXIES: '127.0.0.1' });
    const from = (remoteAddress: string, origin: string) =>
      behind.inject({
        method: 'DELETE',
        url: `${BASE}/tools/tool-a`,
        remoteAddress,
        headers: { host: 'toolcrib:9200', 'x-forwarded-host': 'tools.example', origin },
      });
    failureOf(await from('127.0.0.1', 'https://tools.example'), 'NotFoundError');
    failureOf(await from('127.0.0.1', 'https://toolcrib:9200'), 'AuthorizationError');
    failureOf(await from('10.0.0.9', 'https://tools.example'), 'AuthorizationError');
  });

  await t.test('every answer is not to be stored or sniffed, and has its request id', async () => {
    for (const [url, status] of [
      ['/livez', 200],
      [`${BASE}/tools`, 200],
      [`${BASE}/tools?size=0`, 400],
      [`${BASE}/nothing`, 404],
      [`${BASE}/tools/%zz`, 400],
      [`${BASE}/tools/${'a'.repeat(600)}`, 414],
    ] as const) {
      const { statusCode, headers } = await inject({ method: 'GET', url });
      assert.equal(statusCode, status, url);
      assert.equal(headers['cache-control'], 'no-store', url);
      assert.equal(headers['x-content-type-options'], 'nosniff', url);
      assert.match(String(headers['x-request-id']), /^[\w.-]{3,64}$/, url);
    }
  });

  await t.test("the gateway's request id is taken when it is plain, else one is made", async () => {
    const idFor = async (id: string) => {
      const answer = await inject({
        method: 'GET',
        url: '/livez',
        headers: { 'x-request-id': id },
      });
      return String(answer.headers['x-request-id']);
    };
    assert.equal(await idFor('req-1.A_b'), 'req-1.A_b');
    for (const id of ['', 'a b', 'a,b', '<script>', 'x'.repeat(65), 'ä']) {
      assert.notEqual(await idFor(id), id);
    }
  });
});
