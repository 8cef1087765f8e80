import assert from 'node:assert/strict';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { backUp } from '../../src/store/backup.ts';
import { temporaryFolder } from '../helper.ts';
import {
  addPadding,
  filesOf,
  makeStore,
  namesIn,
  namesOf,
  register,
  registerLarge,
} from './stores.ts';

test('a backup is one file that opens where nobody may write, for its owner only', async (t) => {
  const { store, file } = makeStore(t);
  await register(store, 'one', 'two');
  const folder = temporaryFolder(t);
  const backup = join(folder, 'backup.db');
  const size = await backUp(file, backup);
  assert.equal(size, statSync(backup).size);
  assert.equal(statSync(backup).mode & 0o777, 0o600);
  chmodSync(folder, 0o500);
  assert.deepEqual(namesIn(backup), ['one', 'two']);
  assert.deepEqual(filesOf(folder), ['backup.db']);
});

test('a backup has every write that was acknowledged before, while writes go on', async (t) => {
  const { store, file, folder } = makeStore(t);
  addPadding(store);
  let going = true;
  let written = 0;
  async function write(): Promise<void> {
    while (going) {
      await register(store, `w${String(written + 1).padStart(5, '0')}`);
      written += 1;
      await new Promise(setImmediate);
    }
  }
  const writer = write();
  for (let round = 0; round < 3; round += 1) {
    const acknowledged = written;
    const backup = join(folder, `${round}.db`);
    await backUp(file, backup);
    const inBackup = namesIn(backup).filter((name) => name.startsWith('w')).length;
    assert.ok(inBackup >= acknowledged, `${inBackup} of ${acknowledged}`);
    assert.ok(written > inBackup, 'nothing was written meanwhile');
  }
  going = false;
  await writer;
});

test('a backup is of one moment and ends, however often another process commits', async (t) => {
  const { store, file, folder } = makeStore(t);
  addPadding(store);
  await register(store, 'one', 'two');
  const before = await namesOf(store);
  const other = new Database(file);
  t.after(() => other.close());
  const insert = other.prepare(`insert into tools (tool_id, name, status, category, author, server,
    read_only, created_at, updated_at, revision) values (?, ?, 'active', '', '', '', 0, 0, 0, 1)`);
  const progress: number[] = [];
  await backUp(file, join(folder, 'backup.db'), {
    onProgress(done) {
      insert.run(`tool-${progress.length}`, `during_${progress.length}`);
      progress.push(done);
    },
  });
  assert.ok(progress.length >= 2);
  assert.deepEqual(progress, [...progress].sort());
  assert.deepEqual(namesIn(join(folder, 'backup.db')), before);
});

test('an existing file is replaced only when asked to', async (t) => {
  const { store, file, folder } = makeStore(t);
  await register(store, 'one');
  const backup = join(folder, 'backup.db');
  writeFileSync(backup, 'precious');
  await assert.rejects(backUp(file, backup), /backup\.db exists; --force would replace it$/);
  assert.equal(readFileSync(backup, 'utf8'), 'precious');
  await backUp(file, backup, { overwrite: true });
  assert.deepEqual(namesIn(backup), ['one']);
});

test('what is no place for a backup is refused, and nothing is left behind', async (t) => {
  const { store, file, folder } = makeStore(t);
  await register(store, 'one');
  linkSync(file, join(folder, 'hard.db'));
  symlinkSync(file, join(folder, 'soft.db'));
  mkdirSync(join(folder, 'folder'));
  const before = filesOf(folder);
  for (const [target, reason] of [
    ['toolcrib.db', /belongs to the database itself/],
    ['toolcrib.db-wal', /belongs to the database itself/],
    ['hard.db', /belongs to the database itself/],
    ['soft.db', /belongs to the database itself/],
    ['folder', /is not a file/],
    ['nowhere/backup.db', /^Error: There is no folder \S+nowhere$/],
  ] as const) {
    await assert.rejects(backUp(file, join(folder, target), { overwrite: true }), reason);
  }
  assert.deepEqual(filesOf(folder), before);
  assert.deepEqual(await namesOf(store), ['one']);
});

test('a backup that is broken off leaves what was there', async (t) => {
  const { store, file, folder } = makeStore(t);
  addPadding(store);
  const backup = join(folder, 'backup.db');
  writeFileSync(backup, 'precious');
  const before = filesOf(folder);
  const controller = new AbortController();
  const options = { overwrite: true, signal: controller.signal };
  const onProgress = () => controller.abort(new Error('enough'));
  await assert.rejects(backUp(file, backup, { ...options, onProgress }), /enough/);
  assert.deepEqual(filesOf(folder), before);
  assert.equal(readFileSync(backup, 'utf8'), 'precious');
});

test('a damaged database gives no backup', async (t) => {
  const { store, file, folder } = makeStore(t);
  await registerLarge(store, 100, 'large');
  store.close();
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.fill(0xff, bytes.length / 2, bytes.length / 2 + 16_384));
  await assert.rejects(backUp(file, join(folder, 'backup.db')), /toolcrib\.db is damaged: /);
  assert.deepEqual(filesOf(folder), ['toolcrib.db']);
});
