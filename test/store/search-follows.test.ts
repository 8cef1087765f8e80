import assert from 'node:assert/strict';
import { test } from 'node:test';
import { registerTools } from '../../src/catalogue/register.ts';
import { reindexStore } from '../../src/catalogue/reindex.ts';
import { removeTool } from '../../src/catalogue/remove.ts';
import { updateTool } from '../../src/catalogue/update.ts';
import { parseQuery } from '../../src/search/grammar.ts';
import { backUp } from '../../src/store/backup.ts';
import { loadBackup } from '../../src/store/restore.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { temporaryFolder } from '../helper.ts';

async function found(store: Store, search: string): Promise<string[]> {
  const parsed = parseQuery(search);
  assert.ok('query' in parsed);
  const page = { sort: 'name', order: 'asc', size: 100, from: 0 } as const;
  const { tools, total } = await store.tools.list({ ...page, filter: { search: parsed.query } });
  assert.equal(total, tools.length);
  return tools.map(({ name }) => name);
}

async function register(store: Store, ...names: string[]): Promise<string[]> {
  const tools = names.map((name) => ({ name, description: `the tool ${name}` }));
  return (await registerTools(store, tools)).tools.map(({ tool_id }) => tool_id);
}

test('a search sees every write before it, of this process and of others', async (t) => {
  const url = `file:${temporaryFolder(t)}/toolcrib.db`;
  const [store, other] = [openStore(url), openStore(url)];
  t.after(() => {
    store.close();
    other.close();
  });
  assert.deepEqual(await found(store, 'tool'), []);

  const [a = '', b = ''] = await register(store, 'a', 'b');
  assert.deepEqual(await found(store, 'tool'), ['a', 'b']);
  await register(other, 'c');
  assert.deepEqual(await found(store, 'tool'), ['a', 'b', 'c']);

  await updateTool(store, a, { description: 'something else' }, undefined);
  assert.deepEqual(await found(store, 'tool'), ['b', 'c']);
  assert.deepEqual(await found(store, 'something'), ['a']);
  await updateTool(other, a, { name: 'z_tool' }, undefined);
  assert.deepEqual(await found(store, 'tool'), ['b', 'c', 'z_tool']);

  await removeTool(other, b, undefined);
  assert.deepEqual(await found(store, 'tool'), ['c', 'z_tool']);
  // The row that was freed is taken by another tool.
  await register(store, 'd');
  assert.deepEqual(await found(store, 'tool'), ['c', 'd', 'z_tool']);
});

test('a search sees what a restored backup holds', async (t) => {
  const folder = temporaryFolder(t);
  const store = openStore(`file:${folder}/toolcrib.db`);
  t.after(() => store.close());
  await register(store, 'old');
  await backUp(store.file, `${folder}/backup.db`);
  await register(store, 'new');
  assert.deepEqual(await found(store, 'tool'), ['new', 'old']);

  const backup = loadBackup(`${folder}/backup.db`, store.file);
  await backup.replace({ db: store.db, file: store.file });
  backup.close();
  assert.deepEqual(await found(store, 'tool'), ['old']);
});

test('more changes than are remembered, and an index that is mostly dead, lose nothing', async (t) => {
  const store = openStore(`file:${temporaryFolder(t)}/toolcrib.db`);
  t.after(() => store.close());
  const names = Array.from({ length: 500 }, (_, at) => `t${at}`);
  const ids = await register(store, ...names);
  assert.equal((await found(store, 't499')).length, 1);
  // As many rows as 5,000 changes of one tool each would leave.
  for (let round = 0; round < 12; round += 1) {
    await registerTools(
      store,
      names.map((name) => ({ name, description: `round${round}` })),
      'update',
    );
    assert.deepEqual(await found(store, `round${round} t499`), ['t499']);
  }
  assert.deepEqual(await found(store, 'round10'), []);
  await store.db.write(() => {
    store.db.raw.exec(
      "update change_counters set value = value + 5000 where subject = 'catalogue'",
    );
    store.db.raw.exec('delete from tool_changes');
  });
  await removeTool(store, ids[499] ?? '', undefined);
  assert.deepEqual(await found(store, 't499'), []);
});

test('a search goes on over words that are damaged, and reindex mends what it finds', async (t) => {
  const store = openStore(`file:${temporaryFolder(t)}/toolcrib.db`);
  t.after(() => store.close());
  await register(store, 'reader', 'writer');
  const ranked = async () => {
    const parsed = parseQuery('the writer', { sentence: true });
    assert.ok('query' in parsed);
    const page = { sort: 'relevance', order: 'desc', size: 9, from: 0 } as const;
    const { tools } = await store.tools.list({ ...page, filter: { search: parsed.query } });
    return tools.map(({ name }) => name);
  };
  await store.db.write(() => {
    store.db.raw.exec("update tool_words set words = x'0500000000ff61'");
  });
  // By its name alone: of its words none is left.
  assert.deepEqual(await ranked(), []);
  await reindexStore(store);
  assert.deepEqual(await ranked(), ['writer']);
});
