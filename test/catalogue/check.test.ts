import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { auditTool } from '../../src/catalogue/audit.ts';
import { checkStore } from '../../src/catalogue/check.ts';
import { registerTools } from '../../src/catalogue/register.ts';
import { reindexStore } from '../../src/catalogue/reindex.ts';
import { updateTool } from '../../src/catalogue/update.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { makeStore } from '../store/stores.ts';

/** Tools with everything that is derived from a definition. */
async function fill(store: Store): Promise<void> {
  const { tools } = await registerTools(store, [
    {
      name: 'Größe',
      description: 'Straße',
      metadata: { category: 'c', author: 'a', version: '1' },
    },
    {
      name: 'schema',
      description: '',
      tags: ['x', 'y', 'x'],
      server: 's',
      annotations: { readOnlyHint: true },
      input_schema: { type: 'object', properties: { a: { type: 'string' }, 2: { type: 'null' } } },
    },
    { name: 'updated', description: 'before' },
  ]);
  const updated = tools.find(({ name }) => name === 'updated');
  await updateTool(store, updated?.tool_id ?? '', { description: 'after', status: 'inactive' });
  store.db.raw.exec(`update tools set total_calls = 3, successful_calls = 2,
    total_execution_time_ms = 10, success_rate = 0.667, avg_execution_time_ms = 3.33 where id = 2;
    insert into recent_calls values (2, '${calls(10)}')`);
}

function calls(count: number): string {
  return JSON.stringify(Array.from({ length: count }, (_, i) => [1_000 - i, 1.5, 1]));
}

/** All that the catalogue shows of its tools. */
function snapshot({ db }: Store) {
  return [
    'tools',
    'tool_documents',
    'tool_texts',
    'tool_words',
    'tool_tags',
    'tool_versions',
    'recent_calls',
  ].map((table) => db.raw.prepare(`select * from ${table}`).all());
}

test('a store in order has no faults, and reindexing it changes nothing but the counter', async (t) => {
  const { store } = makeStore(t);
  await fill(store);
  const before = snapshot(store);
  const { catalogue } = store.versions();
  assert.deepEqual(await checkStore(store), { tools: 3, memories: 0, faults: [], count: 0 });
  const { tools, refused } = await reindexStore(store);
  assert.deepEqual([tools, refused], [0, []]);
  assert.deepEqual(snapshot(store), before);
  assert.ok(store.versions().catalogue > catalogue);
});

const MENDABLE: [string, string, string[]][] = [
  [
    'a folded name',
    "update tool_texts set name = 'größe' where id = 1",
    ['tool Größe: its folded_name is not what its document gives'],
  ],
  [
    'a folded description',
    "update tool_texts set description = 'Straße' where id = 1",
    ['tool Größe: its folded_description is not what its document gives'],
  ],
  [
    'a missing text row',
    'delete from tool_texts where id = 1',
    [
      'tool Größe: its folded_name is not what its document gives',
      'tool Größe: its folded_description is not what its document gives',
    ],
  ],
  ...[
    "update tool_words set words = x'0505' where id = 1",
    'delete from tool_words where id = 1',
  ].map((breakIt): [string, string, string[]] => [
    `words that rank: ${breakIt}`,
    breakIt,
    ['tool Größe: its words are not what its document gives'],
  ]),
  ...['category', 'author', 'server', 'status', 'name', 'tool_id'].map(
    (column): [string, string, string[]] => [
      `a ${column}`,
      `update tools set ${column} = 'error' where id = 2`,
      [
        `tool ${column === 'name' ? 'error' : 'schema'}: its ${column} is not what its document gives`,
      ],
    ],
  ),
  [
    'a read-only hint',
    'update tools set read_only = 0 where id = 2',
    ['tool schema: its read_only is not what its document gives'],
  ],
  [
    'a missing tag',
    "delete from tool_tags where tag = 'y'",
    ['tool schema: its tags are not those of its document'],
  ],
  [
    'a tag too many',
    "insert into tool_tags values ('z', 1)",
    ['tool Größe: its tags are not those of its document'],
  ],
  [
    'a success rate',
    'update tools set success_rate = 0.6667 where id = 2',
    ['tool schema: its success_rate is not what its sums give'],
  ],
  [
    'an average',
    'update tools set total_execution_time_ms = 20 where id = 2',
    ['tool schema: its avg_execution_time_ms is not what its sums give'],
  ],
  [
    'parameters of a document',
    `update tool_documents set document = json_set(document, '$.parameters."2".type', 'any')
      where id = 2`,
    ['tool schema: its document is not as it would be written'],
  ],
  ...[calls(11), '[[1,2,1],[1,2]]', '{}', '[]', '['].map((text): [string, string, string[]] => [
    `newest calls ${text}`,
    `update recent_calls set calls = '${text}'`,
    ['tool schema: its recent_calls are not at most 10 calls'],
  ]),
  [
    'texts, a tag and a vector of no tool',
    `insert into tool_texts values (99, 'x', 'x'); insert into tool_tags values ('x', 99);
      insert into tool_words values (99, x'00'); insert into tool_vectors values (99, 'm', 1, 1, x'00')`,
    ['tool_tags', 'tool_texts', 'tool_vectors', 'tool_words'].map(
      (table) => `${table}: 1 rows belong to no row of tools`,
    ),
  ],
];

for (const [what, breakIt, faults] of MENDABLE) {
  test(`a fault is found, and mended by reindex: ${what}`, async (t) => {
    const { store } = makeStore(t);
    await fill(store);
    store.db.raw.exec(`pragma foreign_keys = off; ${breakIt}; pragma foreign_keys = on`);
    assert.deepEqual(await checkStore(store), {
      tools: 3,
      memories: 0,
      faults,
      count: faults.length,
    });
    const { catalogue } = store.versions();
    assert.deepEqual((await reindexStore(store)).refused, []);
    assert.deepEqual(await checkStore(store), { tools: 3, memories: 0, faults: [], count: 0 });
    assert.ok(store.versions().catalogue > catalogue);
  });
}

const LASTING: [string, string, string][] = [
  ['a missing document', 'delete from tool_documents where id = 2', 'it has no document'],
  [
    'a document that is no JSON',
    "update tool_documents set document = '{' where id = 2",
    'its document cannot be read',
  ],
  [
    'a document of something else',
    "update tool_documents set document = '{}' where id = 2",
    'its document cannot be read',
  ],
];

for (const [what, breakIt, fault] of LASTING) {
  test(`${what} is a fault that reindex names and leaves, mending the others`, async (t) => {
    const { store } = makeStore(t);
    await fill(store);
    store.db.raw.exec(`${breakIt}; delete from tool_texts where id in (1, 3)`);
    const { tools, refused } = await reindexStore(store);
    assert.deepEqual([tools, refused], [2, ['schema']]);
    const { faults } = await checkStore(store);
    assert.deepEqual(faults, [`tool schema: ${fault}`]);
  });
}

test('a name that another tool has taken is named and left', async (t) => {
  const { store } = makeStore(t);
  await fill(store);
  store.db.raw.exec(`update tools set name = 'other' where id = 2;
    update tools set name = 'schema' where id = 3`);
  assert.deepEqual((await reindexStore(store)).refused, ['other']);
  assert.equal((await checkStore(store)).count, 1, 'the one that took it has its own name again');
  assert.deepEqual((await reindexStore(store)).refused, []);
  assert.equal((await checkStore(store)).count, 0);
});

test('an index that lost a row is found and rebuilt', async (t) => {
  const { store, file } = makeStore(t);
  await fill(store);
  const page = store.db.raw
    .prepare("select rootpage from sqlite_schema where name = 'tools_server'")
    .pluck()
    .get() as number;
  store.close();
  const bytes = readFileSync(file);
  const at = bytes.indexOf('sschema', (page - 1) * 4_096, 'latin1');
  assert.ok(at > 0 && at < page * 4_096);
  writeFileSync(file, bytes.fill('t', at, at + 1));

  const broken = openStore(`file:${file}`);
  t.after(() => broken.close());
  const { faults } = await checkStore(broken);
  assert.match(faults.join(), /^file: row 2 missing from index tools_server$/);
  await reindexStore(broken);
  assert.equal((await checkStore(broken)).count, 0);
});

test('each slice that mends something raises the counter, so that no server keeps a page of before', async (t) => {
  const { store } = makeStore(t);
  await fill(store);
  const { catalogue } = store.versions();
  await store.maintenance.rederive(0, 10, () => undefined);
  assert.equal(store.versions().catalogue, catalogue);
  await store.maintenance.rederive(0, 10, (tool) => auditTool(tool).derived);
  assert.equal(store.versions().catalogue, catalogue + 1);
});

test('of many faults the first hundred are told, and all are counted', async (t) => {
  const { store } = makeStore(t);
  const tools = Array.from({ length: 450 }, (_, i) => ({ name: `tool_${i}`, description: '' }));
  await registerTools(store, tools);
  store.db.raw.exec("update tools set category = 'x'");
  const { faults, count } = await checkStore(store);
  assert.deepEqual([faults.length, count], [100, 450]);
  assert.equal((await reindexStore(store)).tools, 450);
  assert.equal((await checkStore(store)).count, 0);
});
