import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { runCli } from '../cli/run-cli.ts';
import { BASE, startApp } from '../helper.ts';
import { failureOf } from '../http/failure.ts';

/** More than one step of a removal. */
const MANY = 130;

/** Ada, who has memories at `notes` and in a space, and Bob. */
async function setUp(t: TestContext) {
  const app = await startApp(t);
  const ada = await app.addUser('ada', ['memory:read', 'memory:write']);
  const bob = await app.addUser('bob', ['memory:read', 'memory:write']);
  const id = (await app.store.users.get('ada'))?.id ?? '';
  const members = [{ principal: id, role: 'writer' }];
  await app.send('POST', '/spaces', { name: 'team', members });
  const lines = Array.from({ length: MANY }, (_, at) =>
    JSON.stringify({ content: `The zanzibarqx number ${at}`, path: 'notes' }),
  );
  lines.push(JSON.stringify({ content: 'What the team knows', path: 'space/team/facts' }));
  const imported = await app.inject({
    method: 'POST',
    url: `${BASE}/memories/import`,
    headers: { authorization: ada, 'content-type': 'application/x-ndjson' },
    payload: lines.join('\n'),
  });
  assert.equal(imported.statusCode, 200, imported.body);
  const listed = async (authorization: string, query = '') => {
    const url = `${BASE}/memories?size=1${query}`;
    const answer = await app.inject({ url, headers: { authorization } });
    return answer.statusCode === 200 ? answer.json().data.pagination.total : answer.statusCode;
  };
  const found = async (authorization: string) => {
    const url = `${BASE}/memories/search?query=zanzibarqx%20number%207&path_filter=notes`;
    const answer = await app.inject({ url, headers: { authorization } });
    return answer.json().data.hits.length;
  };
  const remove = (query: string) => app.send('DELETE', `/users/ada${query}`);
  return { ...app, ada, bob, id, listed, found, remove };
}

test('who has memories is not removed before it is said what becomes of them', async (t) => {
  const { ada, remove, listed, store } = await setUp(t);
  for (const [query, type, field] of [
    ['', 'ConflictError', 'memories'],
    ['?memories=burn', 'ValidationError', 'memories'],
    ['?memories=transfer', 'ValidationError', 'to'],
    ['?memories=transfer&to=nobody', 'ValidationError', 'to'],
    ['?memories=transfer&to=ada', 'ValidationError', 'to'],
    ['?memories=erase&to=bob', 'ValidationError', 'to'],
    ['?to=bob', 'ValidationError', 'to'],
  ] as const) {
    const { details, message } = failureOf(await remove(query), type);
    assert.equal(details.field, field, query);
    if (query === '') assert.match(message, /keep, transfer, erase/);
  }
  assert.equal(await listed(ada), MANY + 1);
  const cli = await runCli('.', ['user', 'remove', 'ada', '--yes'], {
    environment: { TOOLCRIB_DATABASE_URL: `file:${store.file}` },
  });
  assert.equal(cli.code, 1);
  assert.match(cli.stderr, /User 'ada' has memories: .*keep, transfer, erase/);
});

test('kept memories are still those of the id that is gone', async (t) => {
  const { authorization, bob, id, remove, listed } = await setUp(t);
  assert.equal((await remove('?memories=keep')).statusCode, 200);
  assert.equal(await listed(bob), 0);
  assert.equal(await listed(authorization, `&owner=${id}`), MANY);
});

test('given memories are found and listed by who got them, and those of a space stay there', async (t) => {
  const { authorization, bob, id, remove, listed, found, send, get } = await setUp(t);
  assert.equal((await remove('?memories=transfer&to=bob')).statusCode, 200);
  assert.equal(await listed(bob), MANY);
  assert.equal(await found(bob), 1);
  assert.equal(await listed(authorization, `&owner=${id}`), 0);
  const bobId = (await get('/users/bob')).json().data.user_id;
  await send('PUT', '/spaces/team', { members: [{ principal: bobId, role: 'reader' }] });
  assert.equal(await listed(bob), MANY + 1);
  const acts = (await get('/audit?action=memory.transfer')).json().data.acts;
  const settled = acts.map(({ details }: { details: { settled: number } }) => details.settled);
  assert.equal(
    settled.reduce((sum: number, one: number) => sum + one, 0),
    MANY,
  );
});

test('erased memories are in no file of the store', async (t) => {
  const { authorization, id, remove, listed, store } = await setUp(t);
  assert.equal((await remove('?memories=erase')).statusCode, 200);
  assert.equal(await listed(authorization, `&owner=${id}`), 0);
  await store.memories.sweep();
  const folder = dirname(store.file);
  const withText = readdirSync(folder).filter((name) =>
    readFileSync(join(folder, name)).includes('zanzibarqx'),
  );
  assert.deepEqual(withText, []);
});

test('a command of the operator gives memories away too', async (t) => {
  const { bob, listed, store, get } = await setUp(t);
  const { code, stderr } = await runCli(
    '.',
    ['user', 'remove', 'ada', '--yes', '--memories', 'transfer', '--to', 'bob'],
    { environment: { TOOLCRIB_DATABASE_URL: `file:${store.file}` } },
  );
  assert.deepEqual([code, stderr], [0, 'User ada removed\n']);
  assert.equal(await listed(bob), MANY);
  assert.equal((await get('/users/ada')).statusCode, 404);
});
