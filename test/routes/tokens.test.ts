import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { pino } from 'pino';
import { createToken } from '../../src/auth/tokens.ts';
import { openStore } from '../../src/store/store.ts';
import { BASE, startApp } from '../helper.ts';
import { failureOf } from '../http/failure.ts';

const HOUR_MS = 3_600_000;

/** The app with the users ada and bob, and a way to ask as anyone. */
async function setUp(t: TestContext) {
  const test = await startApp(t);
  const ada = await test.addUser('ada', ['tools:read', 'tools:write']);
  const bob = await test.addUser('bob', ['tools:read']);
  async function ask(
    authorization: string,
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    body?: object,
  ) {
    const url = `${BASE}${path}`;
    return test.app.inject({
      method,
      url,
      headers: { authorization },
      ...(body && { payload: body }),
    });
  }
  async function make(authorization: string, wanted: object = {}) {
    const body = { name: 'it', scopes: ['tools:read'], ...wanted };
    const answer = await ask(authorization, 'POST', '/tokens', body);
    assert.equal(answer.statusCode, 201, answer.body);
    const { token, ...shown } = answer.json().data;
    return { header: `Bearer ${token}`, id: shown.token_id, token, shown };
  }
  async function ids(authorization: string): Promise<string[]> {
    const { tokens, pagination } = (await ask(authorization, 'GET', '/tokens')).json().data;
    assert.equal(pagination.total, tokens.length);
    return tokens.map(({ token_id }: { token_id: string }) => token_id).sort();
  }
  return { ...test, ada, bob, ask, make, ids };
}

test('everyone sees and revokes their own tokens, an admin all', async (t) => {
  const { authorization, ada, bob, ask, make, ids } = await setUp(t);
  const [one, two, other] = [await make(ada), await make(ada), await make(bob)];
  assert.deepEqual(await ids(ada), [one.id, two.id].sort());
  assert.deepEqual(await ids(bob), [other.id]);
  assert.deepEqual(await ids(authorization), [one.id, two.id, other.id].sort());

  const hidden = await ask(bob, 'DELETE', `/tokens/${one.id}`);
  const unknown = await ask(bob, 'DELETE', '/tokens/tcb_000000000000');
  assert.equal(hidden.statusCode, 404);
  assert.equal(
    failureOf(hidden, 'NotFoundError').message.replace(one.id, ''),
    failureOf(unknown, 'NotFoundError').message.replace('tcb_000000000000', ''),
  );
  const revoked = await ask(ada, 'DELETE', `/tokens/${one.id}`);
  assert.deepEqual(revoked.json().data, one.shown);
  assert.equal((await ask(one.header, 'GET', '/whoami')).statusCode, 401);
  assert.equal((await ask(authorization, 'DELETE', `/tokens/${other.id}`)).statusCode, 200);
  assert.equal((await ask(other.header, 'GET', '/whoami')).statusCode, 401);
  assert.deepEqual(await ids(authorization), [two.id]);
});

test('a token is shown once, and what the store keeps cannot be turned into it', async (t) => {
  const { store, ada, ask, make } = await setUp(t);
  const { token, id } = await make(ada);
  const list = await ask(ada, 'GET', '/tokens');
  assert.ok(list.body.includes(id));
  assert.ok(!list.body.includes(token.slice(17)));
  const rows = JSON.stringify(store.db.raw.prepare('select * from tokens').all());
  assert.ok(!rows.includes(token.slice(17)));
});

test('nobody gives a token more than they have', async (t) => {
  const { ada, bob, ask, make } = await setUp(t);
  const refused = async (header: string, wanted: object) => {
    const body = { name: 'it', scopes: ['tools:read'], ...wanted };
    return failureOf(await ask(header, 'POST', '/tokens', body), 'AuthorizationError').details;
  };
  assert.equal((await refused(bob, { scopes: ['tools:write'] }))['scope'], 'tools:write');
  const narrow = await make(ada, { tool_patterns: ['a*', '!ab*'], read_paths: ['x/%'] });
  assert.equal((await refused(narrow.header, { scopes: ['tools:write'] }))['scope'], 'tools:write');
  assert.equal((await refused(narrow.header, { tool_patterns: ['*'] })).field, 'tool_patterns');
  assert.equal((await refused(narrow.header, { read_paths: ['xy'] })).field, 'read_paths');
  const inner = await make(narrow.header, { tool_patterns: ['a_*'], write_paths: ['y'] });
  const { tool_patterns, read_paths, write_paths, created_by } = inner.shown;
  assert.deepEqual(
    [tool_patterns, read_paths, write_paths, created_by],
    [['a_*', '!ab*'], ['x/%'], ['y'], narrow.id],
  );
});

test('a token sees only what it made, which ends when it does', async (t) => {
  const { ada, ask, make, ids } = await setUp(t);
  const expires_at = new Date(Date.now() + HOUR_MS).toISOString();
  const [first, other] = [await make(ada, { expires_at }), await make(ada)];
  const second = await make(first.header);
  const third = await make(second.header, { expires_at: '2999-01-01T00:00:00Z' });
  assert.equal(third.shown.expires_at, first.shown.expires_at);
  assert.deepEqual(await ids(first.header), [first.id, second.id, third.id].sort());
  assert.deepEqual(await ids(second.header), [second.id, third.id].sort());
  failureOf(await ask(second.header, 'DELETE', `/tokens/${first.id}`), 'NotFoundError');
  failureOf(await ask(first.header, 'DELETE', `/tokens/${other.id}`), 'NotFoundError');
  assert.equal((await ask(ada, 'DELETE', `/tokens/${first.id}`)).statusCode, 200);
  for (const { header } of [first, second, third]) {
    assert.equal((await ask(header, 'GET', '/whoami')).statusCode, 401);
  }
  assert.deepEqual(await ids(ada), [other.id]);
});

test('when a token was last used is kept, also when the server stops at once', async (t) => {
  const { app, config, ada, ask, make } = await setUp(t);
  const { header, id } = await make(ada);
  assert.equal((await ask(header, 'GET', '/whoami')).statusCode, 200);
  await app.close();
  const store = openStore(config.databaseUrl);
  t.after(() => store.close());
  const used = (await store.tokens.find(id))?.last_used_at ?? 0;
  assert.ok(Date.now() - used < 60_000);
});

test('a token that was revoked meanwhile makes no other', async (t) => {
  const { store, ada, ask, make } = await setUp(t);
  const { header, id } = await make(ada);
  const owner = await store.users.get('ada');
  assert.ok(owner);
  const caller = { ...owner, token: { id } };
  await ask(header, 'DELETE', `/tokens/${id}`);
  const making = createToken(store, caller, { name: 'it', scopes: [] });
  await assert.rejects(making, { type: 'AuthenticationError' });
});

const REFUSED: [string, object, string][] = [
  ['a scope that there is not', { scopes: ['all'] }, 'scopes[0]'],
  ['an empty list', { tool_patterns: [] }, 'tool_patterns'],
  ['a pattern that is none', { tool_patterns: ['a b'] }, 'tool_patterns[0]'],
  ['a path that is none', { read_paths: ['a%'] }, 'read_paths[0]'],
  ['an end that is past', { expires_at: '2000-01-01T00:00:00Z' }, 'expires_at'],
  ['an end that never comes', { expires_at: '2999-02-30T00:00:00Z' }, 'expires_at'],
  ['no name', { name: '' }, 'name'],
  ['admin within limits', { scopes: ['admin'], tool_patterns: ['a*'] }, 'scopes'],
];
for (const [what, wanted, field] of REFUSED) {
  test(`a token with ${what} is refused`, async (t) => {
    const { authorization, ask } = await setUp(t);
    const body: object = { name: 'it', scopes: ['tools:read'], ...wanted };
    const answer = await ask(authorization, 'POST', '/tokens', body);
    assert.equal(failureOf(answer, 'ValidationError').details.field, field);
  });
}

test('a token is in no log and no error, wherever it was pasted', async (t) => {
  const { app, ada, ask, make } = await setUp(t);
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) });
  // Every answer passes here, before its line is logged.
  app.addHook('onSend', async (request) => {
    request.log = log;
  });
  const { header, token, id } = await make(ada);
  lines.length = 0;
  const secret = token.slice(17);
  const answers = [
    await ask(header, 'GET', '/tools'),
    await ask(header, 'DELETE', `/tokens/${token}`),
    await ask(ada, 'GET', `/${token}`),
    await ask(ada, 'GET', `/tools/${token}`),
    await ask(ada, 'GET', `/tools?${token}=1`),
    await ask(ada, 'GET', `/tools?category=${token}&size=x`),
    await ask(ada, 'POST', `/tokens/${token}`),
    await ask(`Bearer ${token.slice(0, -1)}`, 'GET', '/tools'),
  ];
  assert.equal(lines.length, answers.length);
  for (const text of [...lines, ...answers.map(({ body }) => body)]) {
    assert.ok(!text.includes(secret.slice(0, 40)), text);
  }
  assert.equal(JSON.parse(lines[0] ?? '').token, id);
});
