import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { checkStore } from '../../src/catalogue/check.ts';
import { backUp } from '../../src/store/backup.ts';
import { openStore } from '../../src/store/store.ts';
import { killUnderLoad } from './kill-under-load.ts';
import { addPadding, makeStore, namesIn, namesOf, register } from './stores.ts';

test('what a server acknowledged is there after kill -9, and nothing is half there', async (t) => {
  await killUnderLoad(t, { rounds: 2, enough: () => 40 });
});

const RESTORE = `
  import { loadBackup } from ${JSON.stringify(import.meta.resolve('../../src/store/restore.ts'))};
  import { openStore } from ${JSON.stringify(import.meta.resolve('../../src/store/store.ts'))};
  const [backup, file] = process.argv.slice(1);
  const onProgress = (done) => { if (done > 0) process.kill(process.pid, 'SIGKILL'); };
  await loadBackup(backup, file).replace(openStore('file:' + file), { onProgress });
`;

test('a restore that is killed half-way leaves the old content, for servers and for the next start', async (t) => {
  const { store, file, folder } = makeStore(t);
  await register(store, 'then');
  addPadding(store);
  await backUp(file, join(folder, 'backup.db'));
  await register(store, 'now');
  const args = ['--input-type=module', '-e', RESTORE, join(folder, 'backup.db'), file];
  const [, signal] = await once(spawn(process.execPath, args, { stdio: 'inherit' }), 'exit');
  assert.equal(signal, 'SIGKILL');
  assert.deepEqual(await namesOf(store), ['now', 'then']);
  await register(store, 'later');
  store.close();
  const next = openStore(`file:${file}`);
  t.after(() => next.close());
  assert.deepEqual(await namesOf(next), ['later', 'now', 'then']);
  assert.equal((await checkStore(next)).count, 0);
});

const BACKUP = `
  import { backUp } from ${JSON.stringify(import.meta.resolve('../../src/store/backup.ts'))};
  const [file, backup] = process.argv.slice(1);
  const onProgress = (done) => { if (done > 0) process.kill(process.pid, 'SIGKILL'); };
  await backUp(file, backup, { overwrite: true, onProgress });
`;

test('a backup that is killed half-way leaves the one before', async (t) => {
  const { store, file, folder } = makeStore(t);
  await register(store, 'then');
  const backup = join(folder, 'backup.db');
  await backUp(file, backup);
  addPadding(store);
  await register(store, 'now');
  const args = ['--input-type=module', '-e', BACKUP, file, backup];
  const [, signal] = await once(spawn(process.execPath, args, { stdio: 'inherit' }), 'exit');
  assert.equal(signal, 'SIGKILL');
  assert.deepEqual(namesIn(backup), ['then']);
  assert.equal((await checkStore(store)).count, 0);
});
