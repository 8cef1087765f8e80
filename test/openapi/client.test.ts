import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFileSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { createClient } from '@hey-api/openapi-ts';
import type { Middleware } from 'openapi-fetch';
import openapiTS, { astToString } from 'openapi-typescript';
import { startApp, temporaryFolder } from '../helper.ts';

const DOCUMENT = 'openapi/openapi.json';

const COMPILER_OPTIONS = {
  target: 'es2024',
  lib: ['es2024', 'dom', 'dom.iterable'],
  module: 'esnext',
  moduleResolution: 'bundler',
  types: ['node'],
  strict: true,
  noUncheckedIndexedAccess: true,
  allowImportingTsExtensions: true,
  noEmit: true,
  skipLibCheck: true,
};

/** Calls that the compiler must refuse: each line after an expected error is one. */
const REFUSED_CALLS = `
import { connect } from './example-client.ts';
const client = connect('', '', '');
const path = { tool_id: 'tool-abc123' };
// @ts-expect-error: no such sort
client.GET('/_plugins/_ml/mcp/tools', { params: { query: { sort: 'size' } } });
// @ts-expect-error: a number is wanted
client.GET('/_plugins/_ml/mcp/tools', { params: { query: { size: '10' } } });
// @ts-expect-error: a tool needs a description
client.POST('/_plugins/_ml/mcp/tools', { body: { tools: [{ name: 'a' }] } });
// @ts-expect-error: the id is needed
client.GET('/_plugins/_ml/mcp/tools/{tool_id}', { params: {} });
// @ts-expect-error: null is no title
client.PUT('/_plugins/_ml/mcp/tools/{tool_id}', { params: { path }, body: { title: null } });
const { error } = await client.GET('/_plugins/_ml/mcp/tools/{tool_id}', { params: { path } });
// @ts-expect-error: reading never conflicts
if (error?.error.type === 'ConflictError') throw error;
if (error?.error.type === 'ValidationError') error.error.details.field.trim();
// @ts-expect-error: only a fault of validation always has a field
if (error?.error.type === 'NotFoundError') error.error.details.field.trim();
`;

test('clients made from the document compile strictly and work', async (t) => {
  const folder = temporaryFolder(t);
  symlinkSync(realpathSync('node_modules'), join(folder, 'node_modules'), 'dir');
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: COMPILER_OPTIONS, include: ['**/*.ts'] }),
  );
  const document = JSON.parse(readFileSync(DOCUMENT, 'utf8'));
  writeFileSync(join(folder, 'schema.ts'), astToString(await openapiTS(document)));
  copyFileSync('openapi/example-client.ts', join(folder, 'example-client.ts'));
  writeFileSync(join(folder, 'refused-calls.ts'), REFUSED_CALLS);
  await createClient({
    input: document,
    output: { path: join(folder, 'hey-api') },
    plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
    logs: { level: 'silent' },
  });

  await t.test('openapi-typescript and @hey-api/openapi-ts give code that compiles', () =>
    compile(folder),
  );
  await t.test('the example client does what it says', (inner) => runExample(inner, folder));
});

async function compile(folder: string): Promise<void> {
  const compiler = fileURLToPath(import.meta.resolve('typescript/bin/tsc'));
  const run = promisify(execFile)(process.execPath, [compiler, '-p', folder]);
  await run.catch((error: { stdout: string }) => assert.fail(error.stdout));
}

async function runExample(t: TestContext, folder: string): Promise<void> {
  const { app } = await startApp(t);
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const example = await import(pathToFileURL(join(folder, 'example-client.ts')).href);
  const client = example.connect(`http://127.0.0.1:${port}`, 'username', 'password of username');
  const statuses: number[] = [];
  const recorder: Middleware = {
    onResponse({ response }) {
      statuses.push(response.status);
    },
  };
  client.use(recorder);

  const definition = (name: string) => ({ name, description: name, tags: [`of ${name}`] });
  const names = Array.from({ length: 5 }, (_, index) => `tool_${index}`);
  const { registered } = await example.registerTools(client, names.map(definition));
  assert.deepEqual(await example.registerTools(client, [definition('tool_1'), definition('new')]), {
    taken: ['tool_1'],
  });

  async function listed(filters: object): Promise<string[]> {
    const found: string[] = [];
    for await (const { name } of example.listTools(client, filters)) found.push(name);
    return found;
  }
  assert.deepEqual(await listed({ size: 2, order: 'desc' }), names.toReversed());
  assert.deepEqual(await listed({ tags: ['of tool_1', 'of tool_3'], status: 'active' }), [
    'tool_1',
    'tool_3',
  ]);
  await assert.rejects(listed({ size: 101 }), {
    message: 'ValidationError: Size must be between 1 and 100',
    field: 'size',
  });

  const [{ tool_id: id }] = registered;
  assert.equal((await example.getTool(client, id)).tool.name, 'tool_0');
  statuses.length = 0;
  let competitors = 1;
  const updated = await example.updateTool(client, id, async (tool: { description: string }) => {
    if (competitors-- > 0) await example.updateTool(client, id, () => ({ title: 'Faster' }));
    return { description: `${tool.description}, changed` };
  });
  assert.deepEqual([updated.title, updated.description], ['Faster', 'tool_0, changed']);
  assert.deepEqual(statuses, [200, 200, 200, 412, 200, 200]);
  await assert.rejects(
    example.updateTool(client, id, () => ({ name: 'tool_1' })),
    { field: 'name' },
  );

  assert.equal(await example.removeTool(client, id), true);
  assert.equal(await example.removeTool(client, id), false);
  assert.equal(await example.getTool(client, id), undefined);
  const stranger = example.connect(`http://127.0.0.1:${port}`, 'username', 'wrong');
  await assert.rejects(example.getTool(stranger, id), { message: /^AuthenticationError: / });
}
