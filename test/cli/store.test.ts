import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../helper.ts';
import { makeStore, namesOf, register } from '../store/stores.ts';
import { runCli } from './run-cli.ts';

test('where there is no store, commands say so and which setting names it, and make none', async (t) => {
  const folder = temporaryFolder(t);
  const commands = [
    ['export'],
    ['search', 'x'],
    ['remove', '--all', '--yes'],
    ['user', 'list'],
    ['user', 'passwd', 'x'],
    ['backup', 'x.db'],
    ['check'],
    ['reindex'],
  ];
  const results = await Promise.all(commands.map((args) => runCli(folder, args)));
  const stderr = `toolcrib: There is no store at ${join(folder, 'toolcrib.db')}; TOOLCRIB_DATABASE_URL says where it is\n`;
  for (const [index, result] of results.entries()) {
    assert.deepEqual(result, { code: 1, stdout: '', stderr }, commands[index]?.join(' '));
  }
  assert.deepEqual(readdirSync(folder), []);
});

test('what is refused before there is a store leaves none behind', async (t) => {
  const folder = temporaryFolder(t);
  const add = ['user', 'add', 'x', '--password-stdin'];
  const results = await Promise.all([
    runCli(folder, ['import', 'missing.json']),
    runCli(folder, add, { input: 'short' }),
  ]);
  assert.deepEqual(
    results.map(({ code }) => code),
    [1, 1],
  );
  assert.deepEqual(readdirSync(folder), []);
});

test('remove says which names are not there, and counts in the singular', async (t) => {
  const { store, folder } = makeStore(t);
  await register(store, 'one', 'two');
  assert.deepEqual(await runCli(folder, ['remove', '--name', 'ghost']), {
    code: 1,
    stdout: '',
    stderr: 'toolcrib: No tool matches\n',
  });
  const asked = await runCli(folder, ['remove', '--name', 'two']);
  assert.match(asked.stderr, /^toolcrib: Remove 1 tool \(two\)\? /);
  assert.deepEqual(await runCli(folder, ['remove', '--yes', '--name', 'one', 'ghost', 'gone']), {
    code: 1,
    stdout: '1 removed\n',
    stderr: 'There is no ghost, gone\n',
  });
  assert.deepEqual(await namesOf(store), ['two']);
});
