import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Connection, openConnection } from '../../src/store/database.ts';
import { makeStore } from '../store/stores.ts';

/** Tables that are about tools without saying so by a foreign key. */
const ALSO_ABOUT_TOOLS = [
  'tools',
  'removed_tools',
  'calls',
  'usage_hours',
  'usage_days',
  'usage_errors',
];
/** What the index follows: it must hear of tools that go out of sight. */
const SEEN_WHOLE = ['tool_changes'];

test('every table about tools has its view', (t) => {
  const { store, file } = makeStore(t);
  const db = openConnection(file, file, { readOnly: true, only: ['a*'] });
  t.after(() => db.close());
  const names = (of: Connection, text: string) => of.raw.prepare(text).pluck().all() as string[];
  const referring = names(
    store.db,
    `select distinct m.name from main.sqlite_schema as m
    join pragma_foreign_key_list(m.name) as f where m.type = 'table' and f."table" = 'tools'`,
  );
  const withTools = names(
    store.db,
    `select distinct m.name from main.sqlite_schema as m
    join pragma_table_info(m.name) as c where m.type = 'table' and c.name in ('tool', 'tool_id', 'series')`,
  );
  const expected = new Set([...referring, ...withTools, ...ALSO_ABOUT_TOOLS]);
  for (const name of SEEN_WHOLE) expected.delete(name);
  const views = names(db, "select name from temp.sqlite_schema where type = 'view'");
  assert.deepEqual(views.sort(), [...expected].sort());
});

test('through a view nothing can be written', (t) => {
  const { file } = makeStore(t);
  const db = openConnection(file, file, { readOnly: true, only: ['*'] });
  t.after(() => db.close());
  assert.throws(() => db.raw.exec('delete from tools'), /cannot modify|readonly/);
  assert.throws(() => db.raw.exec('delete from main.tools'), /readonly/);
});
