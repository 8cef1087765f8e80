import assert from 'node:assert/strict';
import { METHODS } from 'node:http';
import { test } from 'node:test';
import type { HTTPMethods } from 'fastify';
import { BASE } from '../helper.ts';
import { startAppWithRoutes } from './declared-routes.ts';
import { failureOf, jsonRpcFailureOf, openSearchFailureOf, speaksJsonRpc } from './failure.ts';

// CONNECT asks for a host, not for a path.
const ALL = METHODS.filter((method) => method !== 'CONNECT');

const concrete = (url: string) =>
  url.replace(':tool_id', 'tool-a').replace(':name', 'someone').replace('*', 'x.js');

test('methods', async (t) => {
  const { inject, routes } = await startAppWithRoutes(t);
  const allowed = new Map<string, Set<string>>();
  for (const { method, url } of routes) {
    allowed.set(url, (allowed.get(url) ?? new Set()).add(method));
  }
  const ask = (method: string, url: string, options = {}) =>
    inject({ method: method as HTTPMethods, url, ...options });

  await t.test('every other method of every path is 405, with Allow', async () => {
    let asked = 0;
    for (const [url, methods] of allowed) {
      for (const method of ALL) {
        if (methods.has(method)) continue;
        const answer = await ask(method, concrete(url));
        assert.equal(answer.statusCode, 405, `${method} ${url}`);
        const allow = String(answer.headers.allow).split(', ');
        assert.deepEqual(new Set(allow), methods, `${method} ${url}`);
        asked += 1;
        if (method === 'HEAD') continue;
        if (/_(register|update|remove|list)$/.test(url)) {
          const [type, reason] = openSearchFailureOf(answer, 405);
          assert.equal(type, 'method_not_allowed_exception');
          assert.ok(reason.includes(`method [${method}], allowed: [${allow.join(', ')}]`), reason);
        } else if (speaksJsonRpc(url)) {
          jsonRpcFailureOf(answer, 'MethodNotAllowedError');
        } else {
          const { details } = failureOf(answer, 'MethodNotAllowedError');
          assert.deepEqual(details, { method, allowed: allow });
        }
      }
    }
    assert.ok(asked > 800, `${asked} requests`);
  });

  await t.test('HEAD follows GET: the same status and headers, and no body', async () => {
    for (const [url, methods] of allowed) {
      assert.equal(methods.has('HEAD'), methods.has('GET'), url);
      if (!methods.has('GET')) continue;
      for (const query of ['', '?pretty', '?size=0']) {
        const [get, head] = [
          await ask('GET', concrete(url) + query),
          await ask('HEAD', concrete(url) + query),
        ];
        assert.equal(head.statusCode, get.statusCode, url);
        assert.equal(head.body, '', url);
        // A streamed answer is chunked, which one without a body is not (RFC 9112, 6.1).
        const { date: _d, 'x-request-id': _i, 'transfer-encoding': _t, ...headers } = get.headers;
        const { date: _d2, 'x-request-id': _i2, ...same } = head.headers;
        // Each scrape counts the one before, so their lengths differ.
        if (url === '/metrics') same['content-length'] = headers['content-length'];
        assert.deepEqual(same, headers, url + query);
      }
    }
  });

  await t.test('neither the query nor the body of such a request is looked at', async () => {
    for (const [headers, payload] of [
      [{ 'content-type': 'application/json' }, '{'],
      [{ 'content-type': 'text/xml' }, '<a/>'],
      [{}, 'bare'],
    ] as const) {
      for (const path of ['/tools/_list', '/tools/tool-a/versions', '/whoami']) {
        const answer = await ask('POST', `${BASE}${path}?size=x&sise=%00`, { headers, payload });
        assert.equal(answer.statusCode, 405, path);
      }
    }
  });

  await t.test('a trailing slash is the same path, another case is another one', async () => {
    failureOf(await ask('PATCH', `${BASE}/tools/`), 'MethodNotAllowedError');
    assert.equal((await ask('GET', `${BASE}/tools/`)).statusCode, 200);
    for (const path of ['/Tools', '//tools', '/tools/_List', '/tools/tool-a/Versions']) {
      const { statusCode } = await ask('GET', `${BASE}${path}`);
      assert.equal(statusCode, path === '/tools/_List' ? 400 : 404, path);
    }
  });

  await t.test('an unknown path is 404 for every method', async () => {
    for (const method of ALL) {
      for (const url of [
        '/nothing/',
        '/nothing',
        '/_plugins/_ml/mcp/tools/tool-a/nothing',
        '/_cat/indices',
      ]) {
        const answer = await ask(
          method,
          url,
          method === 'QUERY' ? { headers: { 'content-type': 'application/json' } } : {},
        );
        if (method === 'HEAD') assert.equal(answer.statusCode, 404);
        else assert.deepEqual(failureOf(answer, 'NotFoundError').details, { path: url });
      }
    }
  });
});
