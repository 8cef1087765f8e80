import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import Database from 'better-sqlite3';
import { checkStore } from '../../src/catalogue/check.ts';
import { backUp } from '../../src/store/backup.ts';
import type { CopyOptions } from '../../src/store/copy-pages.ts';
import { APPLICATION_ID } from '../../src/store/open-file.ts';
import { loadBackup } from '../../src/store/restore.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { BASE, basic, startApp, temporaryFolder } from '../helper.ts';
import {
  addPadding,
  filesOf,
  makeStore,
  namesOf,
  register,
  registerLarge,
  removeAll,
} from './stores.ts';

/** What the command does after its question. */
async function restore(backup: string, database: string, options?: CopyOptions): Promise<void> {
  const loaded = loadBackup(backup, database);
  const store = openStore(`file:${database}`);
  try {
    await loaded.replace(store, options);
  } finally {
    store.close();
    loaded.close();
  }
}

/** A store that holds `now_…`, and a backup of when it held `then_…`. */
async function makeStoreAndBackup(
  t: TestContext,
  count: number,
  prepare: (store: Store) => void = () => {},
) {
  const made = makeStore(t);
  prepare(made.store);
  const backup = join(temporaryFolder(t), 'backup.db');
  await registerLarge(made.store, count, 'then');
  const old = await namesOf(made.store);
  await backUp(made.file, backup);
  await removeAll(made.store);
  await register(made.store, 'now');
  return { ...made, backup, old };
}

test('a running server shows the restored content at once, under a new ETag', async (t) => {
  const { app, store, get, inject, addUser, send } = await startApp(t);
  const backup = join(temporaryFolder(t), 'backup.db');
  const url = `${BASE}/tools`;
  await register(store, 'one', 'two');
  await addUser('ada', ['tools:read']);
  const etags = [(await get('/tools')).headers.etag];
  await backUp(store.file, backup);

  await addUser('bob', ['tools:read']);
  for (const name of ['three', 'four', 'five']) {
    await register(store, name);
    etags.push((await get('/tools')).headers.etag);
  }
  await send('PUT', '/users/ada/password', { password: 'another password' });
  const bob = { authorization: basic('bob', 'password of bob') };
  assert.equal((await app.inject({ url, headers: bob })).statusCode, 200);

  await restore(backup, store.file);
  for (const etag of etags) {
    const headers = { 'if-none-match': String(etag) };
    const answer = await inject({ url, headers });
    assert.equal(answer.statusCode, 200);
    const names = answer.json().data.tools.map(({ name }: { name: string }) => name);
    assert.deepEqual(names, ['one', 'two']);
    assert.ok(!etags.includes(answer.headers.etag));
  }
  assert.equal((await app.inject({ url, headers: bob })).statusCode, 401);
  for (const [password, status] of [
    ['another password', 401],
    ['password of ada', 200],
  ] as const) {
    const headers = { authorization: basic('ada', password) };
    assert.equal((await app.inject({ url, headers })).statusCode, status);
  }
  await register(store, 'six');
  assert.deepEqual(await namesOf(store), ['one', 'six', 'two']);
  assert.equal((await checkStore(store)).count, 0);
});

test('restoring the same backup twice still gives a new ETag each time', async (t) => {
  const { store, file, backup } = await makeStoreAndBackup(t, 1);
  const versions = [store.versions()];
  for (let round = 0; round < 3; round += 1) {
    await restore(backup, file);
    versions.push(store.versions());
  }
  for (const subject of ['catalogue', 'usage', 'users'] as const) {
    const values = versions.map((each) => each[subject]);
    assert.deepEqual(
      values,
      [...new Set(values)].sort((a, b) => a - b),
    );
  }
});

test('while the lock is held the old content stays; then the restore goes through', async (t) => {
  const { store, file, backup, old } = await makeStoreAndBackup(t, 50);
  const other = new Database(file);
  t.after(() => other.close());
  other.exec('begin immediate');
  let ended = false;
  const restored = restore(backup, file).finally(() => {
    ended = true;
  });
  for (let turn = 0; turn < 200; turn += 1) {
    assert.deepEqual(await namesOf(store), ['now']);
    await new Promise(setImmediate);
  }
  assert.equal(ended, false);
  other.exec('commit');
  await restored;
  assert.deepEqual(await namesOf(store), old);
});

test('a restore that is broken off leaves the old content whole', async (t) => {
  const { store, file, folder, backup } = await makeStoreAndBackup(t, 1, addPadding);
  const before = filesOf(folder);
  const controller = new AbortController();
  const onProgress = () => controller.abort(new Error('enough'));
  const { signal } = controller;
  await assert.rejects(restore(backup, file, { signal, onProgress }), /enough/);
  assert.deepEqual(await namesOf(store), ['now']);
  assert.equal((await checkStore(store)).count, 0);
  assert.deepEqual(filesOf(folder), before);
});

test('a restore takes over a store whose pages were rubbish', async (t) => {
  const { store, file, backup, old } = await makeStoreAndBackup(t, 100);
  store.close();
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.fill(0xff, bytes.length / 2, bytes.length / 2 + 16_384));
  await restore(backup, file);
  const restored = openStore(`file:${file}`);
  t.after(() => restored.close());
  assert.deepEqual(await namesOf(restored), old);
  assert.equal((await checkStore(restored)).count, 0);
});

test('a backup of an older schema is migrated, and stays as it is itself', async (t) => {
  const { store, file } = makeStore(t);
  const backup = join(temporaryFolder(t), 'backup.db');
  const db = new Database(backup);
  db.pragma(`application_id = ${APPLICATION_ID}`);
  db.close();
  const before = readFileSync(backup);
  await register(store, 'one');
  await restore(backup, file);
  assert.deepEqual(await namesOf(store), []);
  assert.deepEqual(readFileSync(backup), before);
});

const NO_BACKUPS: [string, (file: string, good: string, database: string) => void, RegExp][] = [
  ['a file that is not there', () => {}, /^There is no file \S+$/],
  ['an empty file', (file) => writeFileSync(file, ''), /is not a backup$/],
  ['a text', (file) => writeFileSync(file, 'hello'), /\S+\/no\.db: it is not a SQLite database$/],
  ['the database itself', (file, _, database) => symlinkSync(database, file), /database itself$/],
  [
    "another program's database",
    (file) => {
      const db = new Database(file);
      db.exec('create table notes (text)');
      db.close();
    },
    /\S+\/no\.db: it is not a Toolcrib database$/,
  ],
  [
    'half a backup',
    (file, good) => {
      const bytes = readFileSync(good);
      writeFileSync(file, bytes.subarray(0, bytes.length / 2));
    },
    /\S+\/no\.db: it is damaged/,
  ],
  [
    'a backup with ruined pages',
    (file, good) => {
      const bytes = readFileSync(good);
      writeFileSync(file, bytes.fill(0xff, bytes.length / 2, bytes.length / 2 + 16_384));
    },
    /\S+\/no\.db is damaged: /,
  ],
  [
    'a database in use',
    (file, good) => {
      copyFileSync(good, file);
      writeFileSync(`${file}-wal`, 'x');
    },
    /no\.db is a database in use/,
  ],
  [
    'a backup of a newer version',
    (file, good) => {
      copyFileSync(good, file);
      const db = new Database(file);
      db.exec("insert into schema_migrations values ('9999_future.sql', '', 0)");
      db.close();
    },
    /\S+\/no\.db: the database has the migration 9999_future\.sql, which this version does not know$/,
  ],
];

for (const [what, make, message] of NO_BACKUPS) {
  test(`${what} is refused in one line, and the store stays as it is`, async (t) => {
    const { store, file, folder, backup } = await makeStoreAndBackup(t, 20);
    const versions = store.versions();
    const before = filesOf(folder);
    const target = join(temporaryFolder(t), 'no.db');
    make(target, backup, file);
    await assert.rejects(restore(target, file), { message });
    assert.deepEqual(await namesOf(store), ['now']);
    assert.deepEqual(store.versions(), versions);
    assert.deepEqual(filesOf(folder), before);
  });
}
