import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HTTPMethods } from 'fastify';
import { SCOPE_NAMES, type Scope } from '../../src/auth/authorize.ts';
import { newToken } from '../../src/auth/token-text.ts';
import { createToken } from '../../src/auth/tokens.ts';
import { BASE, basic } from '../helper.ts';
import { startAppWithRoutes } from './declared-routes.ts';
import { failureOf, jsonRpcFailureOf, openSearchFailureOf, speaksJsonRpc } from './failure.ts';

type Access = 'open' | 'authenticated' | Scope;

const AGENT_BASE = '/_plugins/_agent/mcp';

/** Who may ask what, below both base paths. A route that is not named here fails the test. */
const BELOW_BASE: Record<string, Access> = {
  'GET /tools': 'tools:read',
  'GET /tools/:tool_id': 'tools:read',
  'GET /tools/:tool_id/versions': 'tools:read',
  'POST /tools': 'tools:write',
  'PUT /tools/:tool_id': 'tools:write',
  'DELETE /tools/:tool_id': 'tools:write',
  'GET /tools/_list': 'tools:read',
  'POST /tools/_register': 'tools:write',
  'POST /tools/_update': 'tools:write',
  'POST /tools/_remove': 'tools:write',
  'POST /tools/:tool_id/calls': 'usage:write',
  'GET /tools/:tool_id/calls': 'usage:read',
  'GET /tools/:tool_id/usage': 'tools:read',
  'POST /calls': 'usage:write',
  'GET /calls': 'usage:read',
  'DELETE /calls': 'admin',
  'GET /usage': 'tools:read',
  'GET /memories': 'memory:read',
  'GET /memories/search': 'memory:read',
  'GET /memories/recall': 'memory:read',
  'GET /memories/context': 'memory:read',
  'GET /memories/export': 'memory:read',
  'GET /memories/:reference': 'memory:read',
  'GET /memories/:reference/history': 'memory:read',
  'GET /memories/:reference/explain': 'memory:read',
  'POST /memories': 'memory:write',
  'POST /memories/import': 'memory:write',
  'PUT /memories/:reference': 'memory:write',
  'DELETE /memories/:reference': 'memory:write',
  'POST /memories/:reference/restore': 'memory:write',
  'GET /spaces': 'memory:read',
  'POST /spaces': 'admin',
  'PUT /spaces/:name': 'admin',
  'DELETE /spaces/:name': 'admin',
  'GET /whoami': 'authenticated',
  'GET /users': 'admin',
  'POST /users': 'admin',
  'GET /users/:name': 'admin',
  'PUT /users/:name': 'admin',
  'DELETE /users/:name': 'admin',
  // One's own; another's needs admin.
  'PUT /users/:name/password': 'authenticated',
  // One's own; with admin all.
  'GET /tokens': 'authenticated',
  'POST /tokens': 'authenticated',
  'DELETE /tokens/:token_id': 'authenticated',
  'GET /audit': 'admin',
  'GET /audit/export': 'admin',
};

const AT_ROOT: Record<string, Access> = {
  // Each message is asked for its scope: see test/mcp.
  [`POST ${BASE}`]: 'authenticated',
  [`POST ${AGENT_BASE}`]: 'authenticated',
  'POST /mcp': 'authenticated',
  'POST /mcp/lean': 'authenticated',
  'GET /livez': 'open',
  'GET /readyz': 'open',
  'GET /metrics': 'admin',
  'GET /openapi.json': 'open',
  'GET /docs': 'open',
  'GET /docs/json': 'open',
  'GET /docs/yaml': 'open',
  'GET /docs/static/*': 'open',
  'GET /docs/static/index.html': 'open',
  'GET /docs/static/swagger-initializer.js': 'open',
};

const EXPECTED = new Map<string, Access>(Object.entries(AT_ROOT));
for (const [route, access] of Object.entries(BELOW_BASE)) {
  for (const base of [BASE, AGENT_BASE]) EXPECTED.set(route.replace(' ', ` ${base}`), access);
}

/** Headers of someone who is nobody, none of which costs a hash. */
const STRANGERS: Record<string, string>[] = [
  {},
  { authorization: '' },
  { authorization: 'Basic' },
  { authorization: 'Basic !!!' },
  { authorization: 'Bearer' },
  { authorization: 'Bearer abc' },
  { authorization: `Bearer ${newToken().text}` },
];

test('access', async (t) => {
  const { app, store, inject, addUser, routes } = await startAppWithRoutes(t);
  app.get('/undeclared', { schema: { hide: true } }, async () => 'secret');

  const callers: { name: string; scopes: Scope[]; authorization: string }[] = [];
  for (const scopes of [[], ...SCOPE_NAMES.map((scope) => [scope])]) {
    const name = `only-${scopes.join() || 'nothing'}`.replace(':', '-');
    callers.push({ name, scopes, authorization: await addUser(name, scopes) });
  }
  // The same by tokens of a user who has every scope.
  const owner = await store.users.get('username');
  assert.ok(owner);
  for (const { scopes } of [...callers]) {
    const { text } = await createToken(store, owner, { name: 'a token', scopes });
    callers.push({ name: 'username', scopes, authorization: `Bearer ${text}` });
  }

  function ask(route: string, headers: Record<string, string>, own = 'nobody') {
    const [method, pattern = ''] = route.split(' ');
    const name = pattern.endsWith('/password') ? own : 'nobody';
    const url = pattern
      .replace(':tool_id', 'tool-a')
      .replace(':name', name)
      .replace('*', 'x.js')
      .replace(':token_id', 'tcb_000000000000');
    return app.inject({ method: method as HTTPMethods, url, headers });
  }

  function refusal(route: string, answer: Awaited<ReturnType<typeof ask>>, status: 401 | 403) {
    assert.equal(answer.statusCode, status, route);
    if (/ .*\/_(register|update|remove|list)$/.test(route)) {
      const [type, reason] = openSearchFailureOf(answer, status);
      assert.equal(type, 'security_exception');
      return reason;
    }
    if (route.startsWith('HEAD')) return '';
    const type = status === 401 ? 'AuthenticationError' : 'AuthorizationError';
    if (speaksJsonRpc(route.split(' ')[1] ?? '')) return jsonRpcFailureOf(answer, type).message;
    return failureOf(answer, type).message;
  }

  await t.test('every route is in the table, and every line of the table is a route', () => {
    const declared = routes
      .filter(({ url }) => url !== '/undeclared')
      .map(({ method, url }) => `${method} ${url}`);
    const expected = [...EXPECTED.keys()].flatMap((route) =>
      route.startsWith('GET') ? [route, route.replace('GET', 'HEAD')] : [route],
    );
    assert.deepEqual(declared.sort(), expected.sort());
  });

  await t.test('an open route asks for nothing', async () => {
    for (const [route, access] of EXPECTED) {
      if (access !== 'open') continue;
      for (const headers of STRANGERS) {
        const { statusCode } = await ask(route, headers);
        assert.ok(statusCode < 400 || route.endsWith('*'), `${route}: ${statusCode}`);
      }
    }
  });

  await t.test('a stranger is refused everywhere else, with a challenge', async () => {
    for (const [route, access] of EXPECTED) {
      if (access === 'open') continue;
      for (const headers of STRANGERS) {
        const answer = await ask(route, headers);
        refusal(route, answer, 401);
        assert.deepEqual(
          answer.headers['www-authenticate'],
          ['Basic realm="toolcrib", charset="UTF-8"', 'Bearer realm="toolcrib"'],
          route,
        );
      }
    }
  });

  await t.test('a wrong password is refused, whatever else is right', async () => {
    const headers = { authorization: basic('username', 'wrong password') };
    for (const route of [`GET ${BASE}/tools`, `POST ${BASE}/tools/_register`]) {
      refusal(route, await ask(route, headers), 401);
    }
  });

  for (const { name, scopes, authorization } of callers) {
    const [scheme] = authorization.split(' ');
    await t.test(`${scheme}: who has ${scopes.join() || 'no scope'} may do just that`, async () => {
      for (const [route, access] of EXPECTED) {
        const answer = await ask(route, { authorization }, name);
        if (access === 'open' || access === 'authenticated' || scopes.includes(access)) {
          assert.ok(![401, 403].includes(answer.statusCode), `${route}: ${answer.statusCode}`);
        } else {
          assert.equal(refusal(route, answer, 403), `This needs the scope '${access}'`);
        }
      }
    });
  }

  await t.test("another one's password needs the scope admin", async () => {
    const payload = { password: 'a new long password' };
    for (const { scopes, authorization } of callers) {
      const url = `${BASE}/users/nobody/password`;
      const answer = await app.inject({ method: 'PUT', url, payload, headers: { authorization } });
      if (scopes.includes('admin')) failureOf(answer, 'NotFoundError');
      else assert.equal(failureOf(answer, 'AuthorizationError').details['scope'], 'admin');
    }
  });

  await t.test('a route that declares no access is closed to everyone', async () => {
    failureOf(await app.inject('/undeclared'), 'AuthenticationError');
    const answer = await inject({ method: 'GET', url: '/undeclared' });
    assert.equal(failureOf(answer, 'AuthorizationError').message, 'This route is closed');
  });

  await t.test('who is known is told where the paths are described', async () => {
    const { message, details } = failureOf(await inject({ url: '/' }), 'NotFoundError');
    assert.equal(message, 'No such path: /; see /docs or /openapi.json');
    assert.deepEqual(details, { path: '/' });
  });

  await t.test(
    'a method that the reader of the document lacks is open as the reader is',
    async () => {
      failureOf(await app.inject({ method: 'POST', url: '/docs' }), 'MethodNotAllowedError');
    },
  );

  await t.test('strangers learn nothing of paths and methods', async () => {
    for (const url of ['/nothing', `${BASE}/nothing`, `${BASE}/tools/tool-a/nothing`]) {
      failureOf(await app.inject(url), 'AuthenticationError');
    }
    failureOf(await app.inject({ method: 'PATCH', url: `${BASE}/tools` }), 'AuthenticationError');
  });
});

test('the document asks for credentials when a setting closes it', async (t) => {
  const { app, addUser } = await startAppWithRoutes(t, { TOOLCRIB_OPEN_DOCS: 'false' });
  const authorization = await addUser('reader', ['admin']);
  for (const [route, access] of Object.entries(AT_ROOT)) {
    if (!route.startsWith('GET')) continue;
    const url = route.split(' ')[1]?.replace('*', 'x.js') ?? '';
    const open = access === 'open' && /^\/(livez|readyz)$/.test(url);
    const { statusCode } = await app.inject(url);
    assert.equal(statusCode, open ? 200 : 401, url);
    const known = await app.inject({ url, headers: { authorization } });
    assert.ok(known.statusCode < 400 || url.endsWith('x.js'), url);
  }
});
