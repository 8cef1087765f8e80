import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { checkStore } from '../../src/catalogue/check.ts';
import { backUp } from '../../src/store/backup.ts';
import { killUnderLoad } from '../store/kill-under-load.ts';
import { makeStore, namesOf, register, registerLarge, removeAll } from '../store/stores.ts';

const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

test('10 times kill -9 under load: nothing acknowledged is lost, every check is ok', async (t) => {
  const enough = (round: number) => 50 + round * 100;
  const answers = await killUnderLoad(t, { rounds: 10, enough });
  t.diagnostic(`${answers} acknowledged writes`);
});

/** Runs `toolcrib restore` and kills it after `ms`, unless it ended by then. */
async function restoreFor(ms: number, folder: string, file: string): Promise<boolean> {
  const child = spawn(process.execPath, [MAIN, 'restore', join(folder, 'backup.db'), '--yes'], {
    env: { PATH: process.env['PATH'], TOOLCRIB_DATABASE_URL: `file:${file}` },
    stdio: 'ignore',
  });
  const end = setTimeout(() => child.kill('SIGKILL'), ms);
  const [code] = await once(child, 'exit');
  clearTimeout(end);
  return code === 0;
}

test('20 times kill -9 of a restore leaves the old or the new content, never a mixture', async (t) => {
  const { store, file, folder } = makeStore(t);
  await registerLarge(store, 400, 'then');
  const then = await namesOf(store);
  await backUp(file, join(folder, 'backup.db'));
  const start = performance.now();
  assert.ok(await restoreFor(60_000, folder, file));
  const span = performance.now() - start;
  let whole = 0;
  for (let round = 0; round < 20; round += 1) {
    await removeAll(store);
    await register(store, 'now');
    const isDone = await restoreFor(span * (0.3 + 0.045 * round), folder, file);
    const names = await namesOf(store);
    if (names.length === 1 && !isDone) assert.deepEqual(names, ['now']);
    else assert.deepEqual(names, then);
    if (names.length > 1) whole += 1;
    assert.equal((await checkStore(store)).count, 0);
  }
  t.diagnostic(`${whole} of 20 restores of ${Math.round(span)} ms were done when they were killed`);
});
