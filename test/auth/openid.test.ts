import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { generateKeyPair } from 'jose';
import { BASE, startApp } from '../helper.ts';
import { failureOf } from '../http/failure.ts';
import { ISSUER, type Mood, startProvider } from './openid-provider.ts';

const REASON = 'The token is none that the OpenID provider vouches for now';

async function setUp(t: TestContext, settings: Record<string, string> = {}) {
  const provider = await startProvider(t);
  const { app, store } = await startApp(t, { ...provider.settings, ...settings });
  const ask = (token: string, path = '/whoami') =>
    app.inject({ url: BASE + path, headers: { authorization: `Bearer ${token}` } });
  async function assertRefused(token: string, what = '') {
    const { message, details } = failureOf(await ask(token), 'AuthenticationError');
    assert.deepEqual([message, details], ['Invalid credentials', { reason: REASON }], what);
  }
  return { ...provider, app, store, ask, assertRefused };
}

test('a token of the provider is its subject with the scopes of a claim', async (t) => {
  const { ask, sign } = await setUp(t);
  const ids = new Set<string>();
  for (const alg of ['RS256', 'ES256', 'Ed25519']) {
    const token = await sign({ scope: 'openid tools:read usage:read' }, { alg });
    const { user_id, name, scopes } = (await ask(token)).json().data;
    assert.match(user_id, /^oidc-[0-9a-f]{32}$/);
    assert.deepEqual([name, scopes], ['ada', ['tools:read', 'usage:read']]);
    ids.add(user_id);
  }
  assert.equal(ids.size, 1);
  const other = (await ask(await sign({ sub: 'bob' }))).json().data;
  assert.deepEqual([ids.has(other.user_id), other.scopes], [false, []]);
  assert.equal((await ask(await sign({ scope: 'tools:read' }), '/tools')).statusCode, 200);
  assert.equal((await ask(await sign({ scope: 'usage:read' }), '/tools')).statusCode, 403);
});

const CLAIMS: [string, Record<string, string>, Record<string, unknown>, string[]][] = [
  ['a list', {}, { scope: ['tools:read', 'x', 7] }, ['tools:read']],
  ['no such claim', {}, { scp: 'tools:read' }, []],
  ['what is inherited', { TOOLCRIB_OPENID_SCOPES_CLAIM: 'constructor.name' }, {}, []],
  [
    'a nested claim that is mapped',
    {
      TOOLCRIB_OPENID_SCOPES_CLAIM: 'realm_access.roles',
      TOOLCRIB_OPENID_SCOPES: 'a=b=tools:read, reader=tools:read,reader=usage:read',
    },
    { realm_access: { roles: ['reader', 'a=b', 'admin'] } },
    ['tools:read', 'usage:read'],
  ],
  [
    'a claim with dots in its name',
    { TOOLCRIB_OPENID_SCOPES_CLAIM: 'https://x.example/roles' },
    { 'https://x.example/roles': 'admin' },
    ['admin'],
  ],
];
for (const [what, settings, claims, scopes] of CLAIMS) {
  test(`scopes come of ${what}`, async (t) => {
    const { ask, sign } = await setUp(t, settings);
    assert.deepEqual((await ask(await sign(claims))).json().data.scopes, scopes);
  });
}

test('a token that says or proves anything else is refused, and always alike', async (t) => {
  const { sign, keys, assertRefused } = await setUp(t);
  const now = Math.floor(Date.now() / 1000);
  const wrong: Record<string, Record<string, unknown>> = {
    'another issuer': { iss: `${ISSUER}/` },
    'no issuer': { iss: undefined },
    'another audience': { aud: ['other', 'toolcrib2'] },
    'no audience': { aud: undefined },
    expired: { exp: now - 60 },
    'no end': { exp: undefined },
    'not yet': { nbf: now + 120 },
    'no subject': { sub: undefined },
    'an empty subject': { sub: '' },
    'a subject too long': { sub: 'x'.repeat(256) },
  };
  for (const [what, claims] of Object.entries(wrong)) await assertRefused(await sign(claims), what);

  const good = await sign();
  const [head = '', body = '', signature = ''] = good.split('.');
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const none = part({ alg: 'none' });
  await assertRefused(`${none}.${body}.`, 'unsigned');
  await assertRefused(`${none}.${body}.${signature}`, 'unsigned with a signature');
  await assertRefused(`${head}.${body}.`, 'no signature');
  await assertRefused(`${head}.${part({ sub: 'root' })}.${signature}`, 'another body');
  // The public key taken for a shared secret.
  const shared = part({ alg: 'HS256', kid: 'key-RS256' });
  const hmac = createHmac('sha256', JSON.stringify(keys[0])).update(`${shared}.${body}`);
  await assertRefused(`${shared}.${body}.${hmac.digest('base64url')}`, 'a shared secret');
  await assertRefused('a.b.c', 'no JSON');
  const { privateKey } = await generateKeyPair('RS256');
  await assertRefused(await sign({}, { key: privateKey }), "a stranger's key");
  await assertRefused(await sign({}, { kid: 'key-ES256' }), 'a key of another kind');
});

test('unknown keys do not make us ask the provider again and again', async (t) => {
  const { state, sign, ask, assertRefused } = await setUp(t);
  assert.equal((await ask(await sign())).statusCode, 200);
  for (let index = 0; index < 10; index += 1) {
    await assertRefused(await sign({}, { kid: `key-${index}` }));
  }
  assert.equal(state.asked, 1);
  assert.equal((await ask(await sign())).statusCode, 200);
});

for (const mood of ['error', 'garbage', 'silent'] satisfies Mood[]) {
  test(`keys whose address answers with ${mood} refuse in bounded time, and work when it is well`, async (t) => {
    const { state, sign, ask, assertRefused } = await setUp(t);
    state.mood = mood;
    const token = await sign();
    const started = performance.now();
    await Promise.all(Array.from({ length: 20 }, () => assertRefused(token)));
    assert.ok(performance.now() - started < 5_000);
    assert.equal(state.asked, 1, 'all of them wait for one answer');
    state.mood = 'well';
    assert.equal((await ask(token)).statusCode, 200);
  });
}

test('keys whose address is gone refuse, while keys that are known go on', async (t) => {
  const { sign, stop, ask, assertRefused } = await setUp(t);
  const token = await sign();
  assert.equal((await ask(token)).statusCode, 200);
  await stop();
  assert.equal((await ask(token)).statusCode, 200);
  const { app } = await startApp(t, {
    TOOLCRIB_OPENID_ISSUER: ISSUER,
    TOOLCRIB_OPENID_AUDIENCE: 'toolcrib',
    TOOLCRIB_OPENID_JWKS_URL: 'http://127.0.0.1:1/keys',
  });
  const headers = { authorization: `Bearer ${token}` };
  failureOf(await app.inject({ url: `${BASE}/whoami`, headers }), 'AuthenticationError');
  await assertRefused(`${token}x`);
});

test('whom the provider vouches for makes no token, which would be nobody`s', async (t) => {
  const { app, store, sign } = await setUp(t);
  const headers = { authorization: `Bearer ${await sign({ sub: 'username', scope: 'admin' })}` };
  const payload = { name: 'it', scopes: ['admin'] };
  const answer = await app.inject({ method: 'POST', url: `${BASE}/tokens`, headers, payload });
  assert.equal(
    failureOf(answer, 'AuthorizationError').message,
    'Only users of this server have tokens',
  );
  assert.equal((await store.tokens.list({}, 10, 0)).total, 0);
});

test('without a provider such a token is none', async (t) => {
  const { sign } = await startProvider(t);
  const { app } = await startApp(t);
  const headers = { authorization: `Bearer ${await sign({ scope: 'admin' })}` };
  const answer = await app.inject({ url: `${BASE}/whoami`, headers });
  assert.equal(
    failureOf(answer, 'AuthenticationError').details.reason,
    'The token is cut or mistyped',
  );
});
