import assert from 'node:assert/strict';
import { test } from 'node:test';
import { updateMemory } from '../../src/memory/change.ts';
import { getMemory, listMemories, memoryHistory } from '../../src/memory/read.ts';
import { remember } from '../../src/memory/remember.ts';
import { createSpace, listSpaces, removeSpace, setMembers } from '../../src/memory/spaces.ts';
import { BASE, startApp } from '../helper.ts';
import { ANNA, BERT, keep, principal, startStore } from './people.ts';

const LIST = { sort: 'created_at', size: 100, from: 0 } as const;

test('an equal content at a path is one memory, whatever its case and spaces', async (t) => {
  const store = startStore(t);
  const first = await keep(store, 'Coffee is black');
  assert.equal((await keep(store, '  COFFEE   is black\n')).reference, first.reference);
  assert.notEqual((await keep(store, 'Coffee is black', { path: 'b' })).reference, first.reference);
  const again = await keep(store, 'Coffee is black', { dedupe: false });
  assert.notEqual(again.reference, first.reference);
});

test('a duplicate never shortens the life of a memory', async (t) => {
  const store = startStore(t);
  const soon = new Date(Date.now() + 60_000).toISOString();
  const later = new Date(Date.now() + 120_000).toISOString();
  await keep(store, 'Tea', { expires_at: soon });
  assert.equal((await keep(store, 'Tea', { expires_at: later })).expires_at, Date.parse(later));
  assert.equal((await keep(store, 'Tea', { expires_at: soon })).expires_at, Date.parse(later));
  assert.equal((await keep(store, 'Tea')).expires_at, null);
  await assert.rejects(keep(store, 'x', { expires_at: '2020-01-01T00:00:00Z' }), {
    name: 'ValidationError',
  });
});

test('a semantic key replaces what had it at the path, and keeps the former version', async (t) => {
  const store = startStore(t);
  const given = { path: 'a', semantic_key: 'drink' };
  const first = await remember(store, ANNA, { ...given, content: 'Coffee' }, 'mask');
  const same = await remember(store, ANNA, { ...given, content: 'Coffee' }, 'mask');
  const other = await remember(store, ANNA, { ...given, content: 'Tea' }, 'mask');
  assert.deepEqual(
    [first, same, other].map(({ outcome }) => outcome),
    ['created', 'duplicate', 'updated'],
  );
  const { reference } = first.memory;
  assert.equal((await getMemory(store, ANNA, reference)).content, 'Tea');
  const { versions } = await memoryHistory(store, ANNA, reference, 10, 0);
  assert.deepEqual(
    versions.map(({ version, content }) => [version, content]),
    [[1, 'Coffee']],
  );
  assert.equal((await listMemories(store, ANNA, LIST)).total, 1);
});

test('what looks like a credential is masked, or the memory refused', async (t) => {
  const store = startStore(t);
  const content = 'The key is ghp_0123456789abcdefABCDEF in the vault';
  assert.equal((await keep(store, content)).content, 'The key is *** in the vault');
  const { metadata } = await keep(store, 'x', { metadata: { url: 'https://u:pass@host/' } });
  assert.equal(metadata, '{"url":"https://u:***@host/"}');
  await assert.rejects(remember(store, ANNA, { content, path: 'a' }, 'refuse'), {
    name: 'ValidationError',
  });
});

test('the text decides the type when its writer does not', async (t) => {
  const store = startStore(t);
  const types = {
    'My name is Anna': 'identity',
    'Always run the tests before a push': 'procedural',
    'We met the team on 8 May': 'episodic',
    'TODO: call Bert back': 'working',
    'The office is in Paris': 'semantic',
  };
  for (const [content, type] of Object.entries(types)) {
    assert.equal((await keep(store, content)).memory_type, type, content);
  }
  assert.equal((await keep(store, 'a', { memory_type: 'durable' })).memory_type, 'semantic');
  assert.equal((await keep(store, 'b', { memory_type: 'event' })).memory_type, 'episodic');
});

test('a token writes at its paths only, and what it may not read is not there for it', async (t) => {
  const store = startStore(t);
  const agent = principal('anna', { readPaths: ['projects/%'], writePaths: ['projects/a/%'] });
  const closed = await keep(store, 'Salary of Anna', { path: 'private' });
  const open = await keep(store, 'Plan of the project', { path: 'projects/b' });
  await keep(store, 'Mine', { path: 'projects/a/x' }, agent);
  for (const path of ['projects/b', 'projects/ab', 'private']) {
    await assert.rejects(keep(store, 'x', { path }, agent), { name: 'AuthorizationError' });
  }
  await assert.rejects(updateMemory(store, agent, open.reference, { content: 'x' }, 'mask'), {
    name: 'AuthorizationError',
  });
  await assert.rejects(getMemory(store, agent, closed.reference), { name: 'NotFoundError' });
  // A former version from where the token may not read stays there.
  await updateMemory(store, ANNA, closed.reference, { path: 'projects/b', content: 'y' }, 'mask');
  assert.equal((await memoryHistory(store, agent, closed.reference, 10, 0)).total, 0);
  assert.equal((await memoryHistory(store, ANNA, closed.reference, 10, 0)).total, 1);
});

test('a token that may not read learns nothing from writing', async (t) => {
  const store = startStore(t);
  const { reference } = await keep(store, 'Coffee', { path: 'a', semantic_key: 'drink' });
  const blind = principal('anna', { readPaths: [], writePaths: ['a'] });
  for (const more of [{}, { semantic_key: 'drink' }]) {
    const given = { content: 'Coffee', path: 'a', ...more };
    const { outcome, memory } = await remember(store, blind, given, 'mask');
    assert.equal(outcome, 'created');
    assert.notEqual(memory.reference, reference);
  }
});

test('a space is seen by its members and changed by its writers', async (t) => {
  const store = startStore(t);
  const admin = { ...principal('admin'), scopes: ['admin' as const] };
  const [writer, reader] = [
    { principal: 'anna', role: 'writer' as const },
    { principal: 'bert', role: 'reader' as const },
  ];
  await createSpace(store, admin, { name: 'team', members: [writer, reader] });
  const path = 'space/team/plans';
  const { reference } = await keep(store, 'The plan of the team', { path });
  assert.equal((await getMemory(store, BERT, reference)).path, path);
  await assert.rejects(keep(store, 'x', { path }, BERT), { name: 'AuthorizationError' });
  for (const name of ['team', 'nobody']) {
    await assert.rejects(keep(store, 'x', { path: `space/${name}/x` }, principal('carl')), {
      name: 'NotFoundError',
      message: `Space '${name}' not found`,
    });
  }
  await assert.rejects(getMemory(store, principal('carl'), reference), { name: 'NotFoundError' });
  await setMembers(store, admin, 'team', [writer]);
  await assert.rejects(getMemory(store, BERT, reference), { name: 'NotFoundError' });
  assert.deepEqual(await listSpaces(store, BERT), []);
  await removeSpace(store, admin, 'team');
  await assert.rejects(getMemory(store, ANNA, reference), { name: 'NotFoundError' });
});

test("others' memories are read with memory:admin only, and each time is noted", async (t) => {
  const { store, inject, addUser } = await startApp(t);
  const admin = await addUser('root', ['admin', 'memory:read', 'memory:write']);
  const { user_id } = (await inject({ url: `${BASE}/whoami` })).json().data;
  const payload = { content: 'The elephant is grey', path: 'notes' };
  await inject({ method: 'POST', url: `${BASE}/memories`, payload });
  const url = `${BASE}/memories?owner=${user_id}`;
  const refused = await inject({ url, headers: { authorization: admin } });
  assert.equal(refused.statusCode, 403);
  assert.equal(refused.json().error.details.scope, 'memory:admin');
  const authorization = await addUser('auditor', ['memory:read', 'memory:admin']);
  const answer = await inject({ url, headers: { authorization } });
  assert.equal(answer.json().data.pagination.total, 1);
  const noted = store.db.raw
    .prepare("select count(*) from audit_log where action = 'memory.admin' and subject = ?")
    .pluck();
  assert.equal(noted.get(user_id), 1);
});

test('what was exported is imported again, but for what it was called', async (t) => {
  const { inject, addUser } = await startApp(t);
  const other = await addUser('other', ['memory:read', 'memory:write']);
  const texts = ['The elephant is grey', 'Müller 腾讯云', 'x'.repeat(50_000)];
  const memories = texts.map((content) => ({ content, path: 'a/b', agent_id: 'planner' }));
  await inject({ method: 'POST', url: `${BASE}/memories/import`, payload: { memories } });
  const lines = (await inject({ url: `${BASE}/memories/export` })).payload;
  const answer = await inject({
    method: 'POST',
    url: `${BASE}/memories/import`,
    payload: `${lines}\n{"content":""}\n`,
    headers: { 'content-type': 'application/x-ndjson', authorization: other },
  });
  const { created, refused, items } = answer.json().data;
  assert.deepEqual([created, refused, items[0].index], [3, 1, 3]);
  const again = await inject({
    url: `${BASE}/memories/export?path_filter=a`,
    headers: { authorization: other },
  });
  const plain = (text: string) =>
    text.replace(/"(reference|created_at|updated_at)":"[^"]*",?/g, '');
  assert.equal(plain(again.payload), plain(lines));
});
