import assert from 'node:assert/strict';
import { test } from 'node:test';
import { registerTools } from '../../src/catalogue/register.ts';
import { makeStore } from '../store/stores.ts';
import { runCli } from './run-cli.ts';

test('search ranks, with --exact it filters, and --explain says why', async (t) => {
  const { store, folder } = makeStore(t);
  await registerTools(store, [
    { name: 'a_reader', description: 'Opens files and files of files' },
    { name: 'read_file', description: 'Opens one' },
  ]);
  const names = async (...args: string[]) => {
    const { stdout } = await runCli(folder, ['search', ...args]);
    return stdout.split('\n').flatMap((line) => line.split(' ')[0] || []);
  };
  assert.deepEqual(await names('please read a fiel'), ['read_file', 'a_reader']);
  assert.deepEqual(await names('--exact', 'reader files'), ['a_reader']);
  assert.deepEqual(await names('--exact', 'please read a file'), []);
  assert.deepEqual(await names(), ['a_reader', 'read_file']);

  const { stdout, stderr } = await runCli(folder, [
    ...['search', '--json', '--explain', '--limit', '1', 'read file'],
  ]);
  const tool = JSON.parse(stdout);
  assert.equal(tool.name, 'read_file');
  assert.ok(tool.score >= 0.9);
  assert.equal(tool.explanation.name, 'equal');
  assert.equal(stderr, '1 of 2 tools\n');
});
