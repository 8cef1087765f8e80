import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import Database from 'better-sqlite3';
import { migrate, readMigrations } from '../../src/store/migrate.ts';
import { openStore } from '../../src/store/store.ts';
import { runCli } from '../cli/run-cli.ts';
import { temporaryFolder } from '../helper.ts';

const ONE = migration('1.sql', 'create table one (a integer); insert into one values (1);');
const TWO = migration('2.sql', 'alter table one add b text; update one set b = a;');
const HALF = migration('2.sql', 'alter table one add b text; insert into nowhere values (1);');

function migration(name: string, sql: string) {
  return { name, sql, sha256: createHash('sha256').update(sql).digest('hex') };
}

function openEmpty(t: TestContext): Database.Database {
  const db = new Database(join(temporaryFolder(t), 'test.db'));
  t.after(() => db.close());
  return db;
}

function stateOf(db: Database.Database) {
  const rows = db.prepare('select name, sha256 from schema_migrations').all();
  return [db.prepare('select sql from sqlite_schema').all(), rows];
}

test('migrations run once, in their order, and are recorded', (t) => {
  const db = openEmpty(t);
  assert.deepEqual(migrate(db, [ONE]), ['1.sql']);
  assert.deepEqual(migrate(db, [ONE, TWO]), ['2.sql']);
  assert.deepEqual(migrate(db, [ONE, TWO]), []);
  assert.deepEqual(db.prepare('select * from one').all(), [{ a: 1, b: '1' }]);
});

test('a migration that stops in the middle leaves nothing, and the next start finishes', (t) => {
  const db = openEmpty(t);
  assert.throws(() => migrate(db, [ONE, HALF]), /nowhere/);
  assert.deepEqual(db.prepare('select * from sqlite_schema').all(), []);
  migrate(db, [ONE]);
  const before = stateOf(db);
  assert.throws(() => migrate(db, [ONE, HALF]), /nowhere/);
  assert.deepEqual(stateOf(db), before);
  assert.deepEqual(migrate(db, [ONE, TWO]), ['2.sql']);
});

test('with nothing to do no lock is needed', (t) => {
  const db = openEmpty(t);
  db.pragma('journal_mode = wal');
  migrate(db, [ONE]);
  const other = new Database(db.name, { timeout: 0 });
  t.after(() => other.close());
  db.exec('begin exclusive');
  assert.deepEqual(migrate(other, [ONE]), []);
  assert.throws(() => migrate(other, [ONE, TWO]), { code: 'SQLITE_BUSY' });
});

for (const [what, change, reason] of [
  [
    'of a newer version',
    "insert into schema_migrations values ('9999_future.sql', '', 0)",
    'the database has the migration 9999_future.sql, which this version does not know',
  ],
  [
    'that was changed since',
    "update schema_migrations set sha256 = 'other'",
    `the migration ${readMigrations()[0]?.name} was changed after it was applied`,
  ],
] as const) {
  test(`a store with a migration ${what} is refused in one line and stays as it is`, (t) => {
    const folder = temporaryFolder(t);
    const file = join(folder, 'toolcrib.db');
    openStore(`file:${file}`).close();
    const db = new Database(file);
    t.after(() => db.close());
    db.exec(change);
    const before = stateOf(db);
    assert.throws(() => openStore(`file:${file}`), {
      message: `Cannot use the database ${file}: ${reason}`,
    });
    assert.deepEqual(stateOf(db), before);
  });
}

test('processes that start at once on a new file all find the whole schema', async (t) => {
  const folder = temporaryFolder(t);
  const starts = Array.from({ length: 4 }, () => runCli(folder, ['import', '-']));
  for (const start of await Promise.all(starts)) {
    const stdout = '0 created, 0 updated, 0 skipped, 0 refused\n';
    assert.deepEqual(start, { code: 0, stdout, stderr: '' });
  }
  const { stdout } = await runCli(folder, ['check']);
  assert.equal(stdout, 'ok: 0 tools, 0 memories\n');
});
