import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startApp, temporaryFolder } from '../helper.ts';
import { runCli } from './run-cli.ts';

const TOOLS = [
  {
    name: 'memory.show',
    title: 'Memory Viewer',
    description: 'Show memory\ncontents',
    metadata: { category: 'memory' },
    tags: ['read', 'memory'],
    annotations: { readOnlyHint: true, destructiveHint: false },
    input_schema: {
      type: 'object',
      properties: { session: { type: 'string', description: 'Whose' }, all: {} },
      required: ['session'],
    },
  },
  { name: 'file.delete', description: 'Delete a file', tags: ['write'] },
  { name: 'web.search', description: 'Search the web', tags: ['search', 'read'] },
];

/** A listening server with three tools, and the command against it. */
async function setUp(t: TestContext) {
  const { app, send, addUser } = await startApp(t);
  await send('POST', '/tools', { tools: TOOLS });
  await addUser('reader', ['tools:read']);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const folder = temporaryFolder(t);
  const environment = {
    TOOLCRIB_URL: url,
    TOOLCRIB_USER: 'reader',
    TOOLCRIB_PASSWORD: 'password of reader',
  };
  const cli = (args: string[], more: Record<string, string> = {}) =>
    runCli(folder, ['tools', ...args], { environment: { ...environment, ...more } });
  const names = async (...args: string[]) => {
    const { stdout, stderr } = await cli(['search', '--json', ...args]);
    assert.equal(stderr, '');
    return JSON.parse(stdout).tools.map(({ name }: { name: string }) => name);
  };
  return { app, url, send, cli, names };
}

test('tools search takes a query and every filter, and pages by its cursor', async (t) => {
  const { cli, names } = await setUp(t);
  assert.deepEqual(await names(), ['file.delete', 'memory.show', 'web.search']);
  assert.deepEqual(await names('memory'), ['memory.show']);
  assert.deepEqual(await names('--category', 'memory'), ['memory.show']);
  assert.deepEqual(await names('--tag', 'read', 'web'), ['web.search']);
  assert.deepEqual(await names('--tag', 'write', '--tag', 'search'), ['file.delete', 'web.search']);
  assert.deepEqual(await names('--read-only'), ['memory.show']);
  assert.deepEqual(await names('--no-read-only'), ['file.delete', 'web.search']);
  assert.deepEqual(await cli(['search', '--read-only']), {
    code: 0,
    stdout: 'memory.show [read-only]\n  Show memory contents\n',
    stderr: '1 of 1 tool\n',
  });
  const first = await cli(['list', '--limit', '2']);
  const cursor = /^2 of 3 tools\nMore with --cursor (\S+)\n$/.exec(first.stderr)?.[1] ?? '';
  const second = await cli(['list', '--limit', '2', '--cursor', cursor]);
  assert.deepEqual(second, {
    code: 0,
    stdout: 'web.search [destructive]\n  Search the web\n',
    stderr: '1 of 3 tools\n',
  });
  assert.deepEqual(await cli(['search', 'nothing']), {
    code: 0,
    stdout: '',
    stderr: 'No tool matches\n',
  });
});

test('tools info and schema show one tool', async (t) => {
  const { cli } = await setUp(t);
  const { stdout } = await cli(['info', 'memory.show']);
  assert.equal(
    stdout,
    `Tool: memory.show (Memory Viewer)
Description: Show memory
contents
Annotations:
  title: Memory Viewer
  readOnlyHint: true
  destructiveHint: false
  idempotentHint: false
  openWorldHint: true
Category: memory
Tags: read, memory
Parameters:
  session: string (required)
    Whose
  all: any
`,
  );
  const schema = JSON.parse((await cli(['schema', 'memory.show'])).stdout);
  assert.deepEqual(schema.inputSchema, TOOLS[0]?.input_schema);
  assert.deepEqual(JSON.parse((await cli(['info', 'memory.show', '--json'])).stdout), schema);
  assert.deepEqual(JSON.parse((await cli(['schema', '--json', 'memory.show'])).stdout), schema);
  assert.deepEqual(await cli(['info', 'memory.sho']), {
    code: 1,
    stdout: '',
    stderr: "toolcrib: No active tool is called 'memory.sho'\n",
  });
});

test('what is wrong is one line and an exit code', async (t) => {
  const { cli, url, app } = await setUp(t);
  for (const [args, more, code, said] of [
    [['search', '--cursor', 'NTA'], {}, 1, /^toolcrib: .*Cursor must be the nextCursor/],
    [['search', '--limit', '0'], {}, 2, /between 1 and 100/],
    [['list'], { TOOLCRIB_USER: '' }, 1, /wants credentials: set TOOLCRIB_TOKEN, or/],
    [['list'], { TOOLCRIB_TOKEN: 'tcb_wrong' }, 1, /wants credentials/],
    [['list', '--url', `${url}/livez`], {}, 1, /No such path: \/livez\/mcp/],
    [['list', '--url', 'nowhere'], {}, 1, /^toolcrib: nowhere\/mcp is no URL\n$/],
    [['list', '--url', 'http://127.0.0.1:1'], {}, 1, /^toolcrib: Cannot reach http:.*\n$/],
  ] as [string[], Record<string, string>, number, RegExp][]) {
    const result = await cli(args, more);
    assert.equal(result.code, code, result.stderr);
    assert.match(result.stderr, said);
    assert.equal(result.stdout, '');
  }
  await app.close();
});

test('a token is enough, and sees what its patterns let through', async (t) => {
  const { cli, send } = await setUp(t);
  const wanted = { name: 'cli', scopes: ['tools:read'], tool_patterns: ['file.*'] };
  const { token } = (await send('POST', '/tokens', wanted)).json().data;
  const { stdout } = await cli(['search', '--json'], { TOOLCRIB_TOKEN: token });
  const { tools, total } = JSON.parse(stdout);
  assert.deepEqual([tools.length, tools[0].name, total], [1, 'file.delete', 1]);
});
