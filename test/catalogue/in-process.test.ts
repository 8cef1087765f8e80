import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type AppError, openCatalogue } from '../../src/index.ts';
import { temporaryFolder } from '../helper.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

test('the examples of docs/in-process.md run one after the other, and print what they say', (t) => {
  const text = readFileSync(join(ROOT, 'docs/in-process.md'), 'utf8');
  const blocks = Array.from(text.matchAll(/^```ts\n([\s\S]*?)^```/gm), ([, code = '']) => code);
  assert.ok(blocks.length >= 5);
  const folder = temporaryFolder(t);
  mkdirSync(join(folder, 'data'));
  const source = import.meta.resolve('../../src/index.ts');
  const file = join(folder, 'examples.ts');
  writeFileSync(file, blocks.join('\n').replace("from 'toolcrib'", `from '${source}'`));
  const printed = execFileSync(process.execPath, [file], { cwd: folder, encoding: 'utf8' });
  assert.deepEqual(printed.trimEnd().split('\n'), [
    "Found 1 tools matching 'memory'",
    '  - file.delete',
    '1 read-only tools, 2 that may modify state',
    "Found 1 tools with the tag 'search'",
    'memory.show',
    '2 of 3',
    '1 of 3',
    'Safe: memory.show',
    'Others: file.delete, web.search',
    'Categories: file, memory',
    '1 web.search 1',
    "ConflictError [ 'web.search' ]",
  ]);
});

test('what the documentation imports is what the package exports', () => {
  const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  assert.deepEqual(exports['.'], { types: './dist/index.d.ts', default: './dist/index.js' });
});

test('who calls without types is told what is wrong, and nothing is written', async (t) => {
  const catalogue = openCatalogue({ file: join(temporaryFolder(t), 'new', 'toolcrib.db') });
  t.after(() => catalogue.close());
  const wrong = (value: unknown) => value as never;
  for (const [call, field] of [
    [() => catalogue.register(wrong([{ name: 'a b', description: '' }])), 'tools[0].name'],
    [() => catalogue.register(wrong([{ name: 'a', describtion: '' }])), 'tools[0].description'],
    [() => catalogue.update('tool-x', wrong({ status: 'gone' })), 'status'],
    [() => catalogue.list(wrong({ size: '10' })), 'size'],
    [() => catalogue.list(wrong({ sort: 'age' })), 'sort'],
    [() => catalogue.search({ pageSize: 0 }), 'limit'],
    [() => catalogue.search(wrong({ readOnly: 'yes' })), 'readOnly'],
    [() => catalogue.search({ cursor: 'NTA' }), 'cursor'],
    [
      () => catalogue.recordCalls(wrong([{ name: 'a', success: true }])),
      'calls[0].execution_time_ms',
    ],
  ] as const) {
    await assert.rejects(call, (error: AppError) => {
      assert.deepEqual([error.type, error.details['field']], ['ValidationError', field]);
      return true;
    });
  }
  await assert.rejects(catalogue.get('tool-x'), { message: "Tool with ID 'tool-x' not found" });
  assert.equal((await catalogue.list()).pagination.total, 0);
});

test('a tool goes through its whole life', async (t) => {
  const catalogue = openCatalogue({ file: join(temporaryFolder(t), 'toolcrib.db') });
  t.after(() => catalogue.close());
  const [tool] = await catalogue.register([{ name: 'a', description: 'first' }]);
  const id = tool?.tool_id ?? '';
  assert.equal((await catalogue.update(id, { description: 'second' })).description, 'second');
  await catalogue.recordCalls([{ tool_id: id, execution_time_ms: 5, success: false }]);
  assert.equal((await catalogue.get(id)).usage_stats.recent_calls.length, 1);
  await catalogue.register([{ name: 'a', description: 'third' }], { onConflict: 'update' });
  assert.deepEqual((await catalogue.search({ query: 'third', pageSize: 1 })).total, 1);
  await catalogue.remove(id);
  assert.equal((await catalogue.search()).total, 0);
});
