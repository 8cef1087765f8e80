import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { runCli } from '../cli/run-cli.ts';
import { BASE, startApp } from '../helper.ts';
import { failureOf } from '../http/failure.ts';

interface Act {
  id: number;
  principal: string;
  token?: string;
  action: string;
  subject: string;
  details: object;
}

async function setUp(t: TestContext) {
  const test = await startApp(t);
  const acts = async (suffix = ''): Promise<Act[]> =>
    (await test.get(`/audit${suffix}`)).json().data.acts;
  return { ...test, acts };
}

test('every change of users and tokens is noted: who, what and to whom, by whatever door', async (t) => {
  const { store, app, send, acts } = await setUp(t);
  const admin = (await store.users.get('username'))?.id ?? '';
  const user = { name: 'ada', password: 'a long password', scopes: ['tools:read'] };
  const ada = (await send('POST', '/users', user)).json().data.user_id;
  await send('PUT', '/users/ada', { scopes: ['tools:read', 'tools:write'] });
  await send('PUT', '/users/ada/password', { password: 'another password' });
  const wanted = { name: 'a secret name', scopes: ['admin'] };
  const made = (await send('POST', '/tokens', wanted)).json().data;
  const headers = { authorization: `Bearer ${made.token}` };
  const below = await app.inject({
    method: 'POST',
    url: `${BASE}/tokens`,
    headers,
    payload: { ...wanted, scopes: [] },
  });
  const inner = below.json().data.token_id;
  await app.inject({ method: 'DELETE', url: `${BASE}/users/ada`, headers });
  await send('DELETE', `/tokens/${made.token_id}`);
  const environment = { TOOLCRIB_DATABASE_URL: `file:${store.file}` };
  const cli = (...args: string[]) => runCli('.', args, { environment });
  await cli('user', 'add', 'ci');
  const ci = (await store.users.get('ci'))?.id ?? '';
  const token = (await cli('token', 'create', 'ci')).stdout.slice(0, 16);
  await cli('token', 'revoke', token);
  await cli('user', 'remove', 'ci', '--yes');

  const all = (await acts('?size=100')).reverse();
  const rows = all.map(({ principal, token, action, subject, details }) => [
    ...[principal, token, action, subject, details],
  ]);
  const scopes = (text: string) => ({ scopes: text });
  const byUs = [admin, undefined];
  const byToken = [admin, made.token_id];
  const byOperator = ['', undefined];
  assert.deepEqual(rows.slice(1), [
    [...byUs, 'user.create', ada, scopes('tools:read')],
    [...byUs, 'user.scopes', ada, scopes('tools:read,tools:write')],
    [...byUs, 'user.password', ada, {}],
    [...byUs, 'token.create', made.token_id, { owner: admin, scopes: 'admin' }],
    [...byToken, 'token.create', inner, { owner: admin, scopes: '' }],
    [...byToken, 'user.remove', ada, {}],
    [...byUs, 'token.revoke', inner, { owner: admin }],
    [...byUs, 'token.revoke', made.token_id, { owner: admin }],
    [...byOperator, 'user.create', ci, scopes('tools:read')],
    [...byOperator, 'token.create', token, { owner: ci, scopes: 'tools:read' }],
    [...byOperator, 'token.revoke', token, { owner: ci }],
    [...byOperator, 'user.remove', ci, {}],
  ]);
  assert.doesNotMatch(JSON.stringify(all), /a long|another|secret|argon2/);
});

test('a refused change leaves no act', async (t) => {
  const { send, acts } = await setUp(t);
  const before = await acts();
  failureOf(await send('PUT', '/users/nobody', { scopes: [] }), 'NotFoundError');
  failureOf(await send('DELETE', '/users/username'), 'ConflictError');
  failureOf(await send('DELETE', '/tokens/tcb_000000000000'), 'NotFoundError');
  assert.deepEqual(await acts(), before);
});

test('acts are filtered by who, what and when, and paged, the newest first', async (t) => {
  const { send, get, acts } = await setUp(t);
  for (const name of ['a', 'b', 'c']) {
    await send('POST', '/tokens', { name, scopes: [] });
  }
  const all = await acts();
  assert.deepEqual(
    all.map(({ id }) => id),
    all.map(({ id }) => id).sort((a, b) => b - a),
  );
  const count = async (filter: string) => (await acts(filter)).length;
  assert.equal(await count('?action=token.create'), 3);
  assert.equal(await count('?principal=username'), 3);
  assert.equal(await count(`?principal=${all[0]?.principal}&action=token.revoke`), 0);
  assert.equal(await count('?principal=nobody'), 0);
  assert.equal(await count('?principal=&action=%20'), 4);
  assert.equal(await count('?since=2000-01-01T00:00:00Z'), 4);
  assert.equal(await count('?until=2000-01-01T00:00:00Z'), 0);
  const page = (await get('/audit?action=token.create&size=2&from=1')).json().data;
  assert.deepEqual(page.pagination, { total: 3, size: 2, from: 1, has_more: false });
  assert.deepEqual(page.filters_applied, {
    principal: null,
    action: 'token.create',
    since: null,
    until: null,
  });
  const lines = (await get('/audit/export?action=token.create')).body.trimEnd().split('\n');
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)),
    (await acts('?action=token.create')).reverse(),
  );
});

test('the log cannot be changed, not even by SQL', async (t) => {
  const { store } = await setUp(t);
  for (const statement of ["update audit_log set action = 'x'", 'delete from audit_log']) {
    assert.throws(() => store.db.raw.exec(statement), /append-only/);
  }
});
