import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { openStore } from '../../src/store/store.ts';
import { temporaryFolder } from '../helper.ts';
import { makeStore, namesOf, register } from '../store/stores.ts';
import { runCli } from './run-cli.ts';

test('backup, change, restore: the store holds what it held, beside an open server', async (t) => {
  const { store, folder } = makeStore(t);
  await register(store, 'one');
  const backup = await runCli(folder, ['backup', 'backup.db']);
  assert.deepEqual([backup.code, backup.stdout], [0, '']);
  assert.match(backup.stderr, /^backup\.db: \d+\.\d MB, checked\n$/);
  assert.deepEqual(await runCli(folder, ['backup', 'backup.db']), {
    code: 1,
    stdout: '',
    stderr: 'toolcrib: backup.db exists; --force would replace it\n',
  });

  await register(store, 'two');
  const asked = await runCli(folder, ['restore', 'backup.db']);
  assert.deepEqual([asked.code, asked.stdout], [2, '']);
  assert.match(
    asked.stderr,
    /^toolcrib: Replace 2 tools and 0 users in \S+toolcrib\.db with 1 tool and 0 users of backup\.db\? .*--yes\n$/,
  );
  assert.deepEqual(await namesOf(store), ['one', 'two']);
  const restored = await runCli(folder, ['restore', 'backup.db', '--yes']);
  assert.equal(restored.code, 0, restored.stderr);
  assert.deepEqual(await namesOf(store), ['one']);

  // A store that is not there yet is made of it.
  const elsewhere = temporaryFolder(t);
  const file = join(elsewhere, 'data', 'new.db');
  const environment = { TOOLCRIB_DATABASE_URL: `file:${file}` };
  const args = ['restore', join(folder, 'backup.db'), '--yes'];
  assert.deepEqual(await runCli(elsewhere, args, { environment }), {
    code: 0,
    stdout: '',
    stderr: `${file}: 1 tool and 0 users restored\n`,
  });
  const filled = openStore(`file:${file}`);
  t.after(() => filled.close());
  assert.deepEqual(await namesOf(filled), ['one']);
});

test('check tells faults and ends with 1, reindex mends them', async (t) => {
  const { store, folder } = makeStore(t);
  await register(store, 'one');
  assert.deepEqual(await runCli(folder, ['check']), {
    code: 0,
    stdout: 'ok: 1 tool, 0 memories\n',
    stderr: '',
  });
  store.db.raw.exec("update tools set category = 'x'");
  assert.deepEqual(await runCli(folder, ['check']), {
    code: 1,
    stdout: 'tool one: its category is not what its document gives\n',
    stderr: 'toolcrib: 1 fault; `toolcrib reindex` mends what is derived\n',
  });
  const { code, stderr } = await runCli(folder, ['reindex']);
  assert.equal(code, 0);
  assert.match(stderr, /^\d+ indexes rebuilt, 1 tool mended\n$/);
  const page = await store.tools.list({
    filter: { category: 'x' },
    sort: 'name',
    order: 'asc',
    size: 1,
    from: 0,
  });
  assert.equal(page.total, 0);
});
