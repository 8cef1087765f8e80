import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { openStore } from '../../src/store/store.ts';
import { BASE, startApp, temporaryFolder } from '../helper.ts';
import { namesOf } from '../store/stores.ts';
import { runCli } from './run-cli.ts';

const LUCENIA = {
  tools: [
    {
      name: 'alpha',
      description: 'First',
      parameters: { q: { type: 'string', description: 'Words', required: true } },
      metadata: { category: 'search', version: '1.0.0' },
    },
    { name: 'beta', description: 'Second' },
  ],
};

const MCP = {
  jsonrpc: '2.0',
  id: 1,
  result: {
    tools: [
      {
        name: 'memory.show',
        title: 'Show',
        description: 'Shows memory',
        inputSchema: { type: 'object', properties: { id: { type: ['integer', 'null'] } } },
        outputSchema: { type: 'object' },
        annotations: { readOnlyHint: true, 'x-cost': 3 },
        icons: [],
      },
    ],
  },
};

const LINES = [
  {
    id: 's/one',
    name: 'one',
    description: 'x',
    category: 'C',
    tags: ['t'],
    server: 'My Server!',
    inputSchema: null,
  },
  {
    id: 's/two',
    name: 'two',
    description: null,
    category: null,
    server: 'my server',
    inputSchema: {},
  },
  { id: 's/thr', name: 'three', server: 'My  Server', inputSchema: { properties: { a: {} } } },
];

/** Imports, and gives what the command said with the store's export, one object a tool. */
async function imported(
  t: TestContext,
  text: string,
  args: readonly string[] = [],
  folder = temporaryFolder(t),
) {
  const result = await runCli(folder, ['import', '-', ...args], { input: text });
  const exported = await runCli(folder, ['export']);
  assert.equal(exported.code, 0, exported.stderr);
  const tools = exported.stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { ...result, folder, tools, exported: exported.stdout };
}

test("Lucenia's shape lands as given, in one line or many", async (t) => {
  for (const text of [JSON.stringify(LUCENIA), JSON.stringify(LUCENIA, null, 2)]) {
    const { code, stdout, tools } = await imported(t, text);
    assert.equal(code, 0);
    assert.equal(stdout, '2 created, 0 updated, 0 skipped, 0 refused\n');
    assert.deepEqual(tools[0]?.['parameters'], LUCENIA.tools[0]?.parameters);
    assert.deepEqual(tools[0]?.['metadata'], LUCENIA.tools[0]?.metadata);
    assert.equal('parameters' in (tools[1] ?? {}), false);
    assert.equal('metadata' in (tools[1] ?? {}), false);
  }
});

test("MCP's tools/list lands with its schemas and hints, the server that is named for it, and a category from the dotted name", async (t) => {
  for (const text of [JSON.stringify(MCP), JSON.stringify(MCP.result)]) {
    const { tools } = await imported(t, text, ['--server', 'notes', '--prefix']);
    const [tool] = tools;
    assert.equal(tool?.['name'], 'notes__memory.show');
    assert.equal(tool?.['server'], 'notes');
    assert.equal(tool?.['title'], 'Show');
    assert.deepEqual(tool?.['input_schema'], MCP.result.tools[0]?.inputSchema);
    assert.deepEqual(tool?.['output_schema'], { type: 'object' });
    assert.deepEqual(tool?.['annotations'], { readOnlyHint: true, 'x-cost': 3 });
    assert.deepEqual(tool?.['metadata'], { category: 'memory' });
  }
});

test('lines with servers get prefixes, categories and an object schema', async (t) => {
  const text = LINES.map((line) => JSON.stringify(line)).join('\n');
  const { tools, code } = await imported(t, text, ['--prefix']);
  assert.equal(code, 0);
  const shown = tools.map(({ name, metadata, input_schema }) => ({ name, metadata, input_schema }));
  assert.deepEqual(shown, [
    {
      name: 'My-Server-2__three',
      metadata: { category: 'My  Server' },
      input_schema: { type: 'object', properties: { a: {} } },
    },
    { name: 'My-Server__one', metadata: { category: 'C' }, input_schema: { type: 'object' } },
    {
      name: 'my-server__two',
      metadata: { category: 'my server' },
      input_schema: { type: 'object' },
    },
  ]);
});

function exported(name: string, revision: number, versions: number[]): string {
  const former = versions.map((each) => ({ name, revision: each }));
  return JSON.stringify({ toolcrib: 1, name, revision, versions: former });
}

const REFUSED: [line: string, field: RegExp][] = [
  ['{"name":"has space","description":"x"}', / "has space": name: /],
  ['{"name":"ok1","description":7}', / "ok1": description: /],
  ['{"name":"ok2","inputSchema":{"type":"string"}}', / "ok2": inputSchema\.type: /],
  [
    '{"name":"ok3","inputSchema":{"type":"object","properties":{"a":{"$ref":"http://x/y"}}}}',
    /: inputSchema\.properties\.a\.\$ref: /,
  ],
  ['{"name":"ok4","tool_id":"TOOL-1"}', /tool_id: /],
  ['{"name":"ok5","created_at":"yesterday"}', /created_at: /],
  ['{"name":"ok6","usage_stats":{"total_calls":-1}}', /usage_stats\.total_calls: /],
  [
    '{"name":"ok7","usage_stats":{"total_calls":1,"success_rate":2}}',
    /usage_stats\.success_rate: /,
  ],
  ['{"name":"ok8","status":"gone"}', /status: /],
  ['{"name":"ok9","description":"a\\u0000b"}', /description: /],
  ['{"name":"ok10","description":"\\ud800"}', /description: /],
  ['{"name":"ok11","metadata":{"__proto__":1}}', /metadata\.__proto__: /],
  ['{"name":"first"}', / "first": name: .*exists already, from line 1$/],
  ['{"name":"ok12","tool_id":"tool-1"}', / "ok12": tool_id: .*exists already, from line 1$/],
  ['{"name":"ok13","descripton":"x"}', / "ok13": descripton: .*did you mean 'description'\?$/],
  ['{"name":"ok14","usage_stats":{"total_cals":1}}', /usage_stats\.total_cals: .*'total_calls'/],
  [`{"name":"ok15","category":"${'x'.repeat(257)}"}`, / "ok15": category: /],
  [exported('ok16', 2, [1, 1]), / "ok16": versions\[1\]\.revision: Revision 1 is repeated$/],
  [exported('ok17', 2, [1, 2]), / "ok17": versions\[1\]\.revision: Revision 2 must be below/],
  ['{"name":"ok18","toolcrib":1,"versions":{}}', / "ok18": versions: /],
  ['[1]', /^line \d+: It is not a JSON object$/],
  ['{"name":', /^line \d+: It is not JSON: /],
  ['7', /^line \d+: It is not a JSON object$/],
];

test('bad lines are reported in order with their number and reason, and the good ones around them land', async (t) => {
  const lines = REFUSED.map(([line]) => line);
  const first = '{"name":"first","tool_id":"tool-1"}';
  // Of others, what only an export says is left aside, as are keys that are like no known one.
  const last = '{"name":"last","revision":7,"versions":"1.0","serverId":1,"source":2}';
  const text = [first, ...lines, '', last, ''].join('\n');
  const { tools, stdout, stderr, code } = await imported(t, text);
  const reports = stderr.trimEnd().split('\n');
  assert.equal(reports.length, lines.length);
  for (const [index, [line, report]] of REFUSED.entries()) {
    assert.match(reports[index] ?? '', new RegExp(`^line ${index + 2}[: ]`));
    assert.match(reports[index] ?? '', report, line);
  }
  assert.equal(stdout, `2 created, 0 updated, 0 skipped, ${lines.length} refused\n`);
  assert.equal(code, 1);
  assert.deepEqual(
    tools.map(({ name }) => name),
    ['first', 'last'],
  );
  assert.equal(tools[1]?.['revision'], 1);
});

test('a repeated name is refused, skipped or updated as asked', async (t) => {
  const former = '{"name":"a","description":"old","tags":["x"]}\n';
  const again = '{"name":"a","description":"new"}\n';
  const expected: [string, string, string][] = [
    ['error', '1 created, 0 updated, 0 skipped, 1 refused', 'old'],
    ['skip', '1 created, 0 updated, 1 skipped, 0 refused', 'old'],
    ['update', '1 created, 1 updated, 0 skipped, 0 refused', 'new'],
  ];
  for (const [policy, summary, description] of expected) {
    const { stdout, tools } = await imported(t, former + again, ['--on-conflict', policy]);
    assert.equal(stdout, `${summary}\n`);
    assert.equal(tools[0]?.['description'], description);
    assert.deepEqual(tools[0]?.['tags'], ['x']);
  }
});

test('an update replaces what the line gives, its status too, and leaves the rest', async (t) => {
  const lines = [
    { name: 'a.b', description: 'old', status: 'error', metadata: { category: 'c', author: 'x' } },
    { name: 'a.b', tags: ['t'] },
    { name: 'z', description: 'old', inputSchema: { type: 'object', required: ['a'] } },
    { name: 'z', description: null, inputSchema: null, status: 'inactive' },
  ];
  const text = lines.map((line) => JSON.stringify(line)).join('\n');
  const { tools, stdout } = await imported(t, text, ['--on-conflict', 'update']);
  assert.equal(stdout, '2 created, 2 updated, 0 skipped, 0 refused\n');
  const [one, two] = tools;
  for (const [key, value] of Object.entries({ ...lines[0], ...lines[1] })) {
    assert.deepEqual(one?.[key], value, key);
  }
  assert.equal(two?.['description'], 'old');
  assert.equal(two?.['status'], 'inactive');
  assert.deepEqual(two?.['input_schema'], lines[2]?.inputSchema);
});

test('a dry run says what the real run then does, and makes no store', async (t) => {
  const input = [
    '{"name":"a","tool_id":"tool-1"}',
    '{"name":"b"}',
    '{"name":"a"}',
    '{"name":"c d"}',
    '{"name":"e","tool_id":"tool-1"}',
    '{"name":"e","tool_id":"tool-2"}',
  ].join('\n');
  const folder = temporaryFolder(t);
  const rehearsal = await runCli(folder, ['import', '-', '--dry-run'], { input });
  assert.deepEqual(readdirSync(folder), []);
  const real = await runCli(folder, ['import', '-'], { input });
  assert.equal(real.stdout, '3 created, 0 updated, 0 skipped, 3 refused\n');
  const note = ' (dry run: nothing was written)\n';
  assert.deepEqual(rehearsal, { ...real, stdout: real.stdout.replace('\n', note) });
  // Nor does it write to a store that is there.
  const again = '{"name":"f"}\n{"name":"a"}';
  const second = await runCli(folder, ['import', '-', '--dry-run'], { input: again });
  assert.equal(second.stdout, `1 created, 0 updated, 0 skipped, 1 refused${note}`);
  assert.match(second.stderr, /exists already\n$/);
  const store = openStore(`file:${folder}/toolcrib.db`);
  t.after(() => store.close());
  assert.deepEqual(await namesOf(store), ['a', 'b', 'e']);
});

test('an export makes an equal store: ids, times, usage, former definitions and all', async (t) => {
  const { app, send, get, config } = await startApp(t);
  const folder = config.databaseUrl.replace(/^file:|\/[^/]*$/g, '');
  const seeded = JSON.stringify({
    name: 'seeded',
    tool_id: 'tool-abc123',
    status: 'error',
    created_at: '2024-01-01T12:00:00Z',
    updated_at: '2024-01-05T12:00:00Z',
    usage_stats: {
      total_calls: 1234,
      success_rate: 0.98,
      avg_execution_time_ms: 245.13,
      recent_calls: [
        { timestamp: '2024-01-01T11:45:00Z', execution_time_ms: 230.5, success: false },
      ],
    },
  });
  assert.equal((await runCli(folder, ['import', '-'], { input: seeded })).code, 0);
  await send('POST', '/tools', {
    tools: [{ name: 'plain', description: 'Größe 天気', tags: ['a', 'b'] }],
  });
  await send('POST', '/tools/_register', {
    tools: [
      {
        type: 'T',
        name: 'ml',
        parameters: { a: 1 },
        attributes: { input_schema: '{"type":"object"}' },
      },
    ],
  });
  await send('PUT', '/tools/tool-abc123', {
    description: 'changed',
    input_schema: { type: 'object' },
  });
  await send('PUT', '/tools/tool-abc123', { status: 'inactive' });
  const before = await runCli(folder, ['export']);

  const other = await startApp(t);
  const otherFolder = other.config.databaseUrl.replace(/^file:|\/[^/]*$/g, '');
  const again = await runCli(otherFolder, ['import', '-'], { input: before.stdout });
  assert.equal(again.stdout, '3 created, 0 updated, 0 skipped, 0 refused\n');
  assert.equal((await runCli(otherFolder, ['export'])).stdout, before.stdout);
  for (const path of [
    '/tools',
    '/tools/tool-abc123',
    '/tools/tool-abc123/versions',
    '/tools/_list',
  ]) {
    const here = (await get(path)).json();
    const there = (await other.get(path)).json();
    assert.deepEqual({ ...there, timestamp: 0 }, { ...here, timestamp: 0 }, path);
  }
  assert.ok(app);
});

test('a file that is not there, a folder and nonsense are said in one line', async (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'nonsense.txt'), 'this is\nnot JSON\n');
  for (const [file, message] of [
    ['missing.json', /^toolcrib: Cannot read missing.json: ENOENT\n$/],
    ['.', /^toolcrib: \. is a folder\n$/],
  ] as const) {
    const { code, stderr } = await runCli(folder, ['import', file]);
    assert.equal(code, 1);
    assert.match(stderr, message);
  }
  const nonsense = await runCli(folder, ['import', 'nonsense.txt']);
  assert.equal(nonsense.code, 1);
  assert.match(nonsense.stderr, /^the file: It is not JSON.*\n$/);
});

const DATA = process.env['TOOLCRIB_TEST_DATA'];

test('21,205 real tools: 21,039 land and answer under every sort, without a repeat or a gap', {
  skip: DATA ? false : 'TOOLCRIB_TEST_DATA names no folder with mcp-tools.jsonl',
}, async (t) => {
  const { get, config, inject } = await startApp(t);
  const folder = config.databaseUrl.replace(/^file:|\/[^/]*$/g, '');
  const { stdout, stderr } = await runCli(folder, [
    'import',
    `${DATA}/mcp-tools.jsonl`,
    '--prefix',
  ]);
  assert.equal(stdout, '21039 created, 0 updated, 0 skipped, 166 refused\n');
  const reasons = stderr.trim().split('\n');
  assert.equal(reasons.filter((line) => /: name: Name must be/.test(line)).length, 83);
  assert.equal(reasons.filter((line) => /: name: A tool named .* exists/.test(line)).length, 72);
  assert.equal(reasons.filter((line) => /: inputSchema\./.test(line)).length, 11);

  const sorts = ['name', 'created_at', 'updated_at', 'category'].concat(
    ['total_calls', 'success_rate', 'avg_execution_time_ms'].map((key) => `usage_stats.${key}`),
  );
  for (const sort of sorts) {
    for (const order of ['asc', 'desc']) {
      const seen = new Set<string>();
      for (let from = 0; from < 21_039; from += 100) {
        const url = `${BASE}/tools?sort=${sort}&order=${order}&size=100&from=${from}`;
        const { data } = (await inject({ method: 'GET', url })).json();
        assert.equal(data.pagination.total, 21_039);
        for (const { tool_id } of data.tools) seen.add(tool_id);
      }
      assert.equal(seen.size, 21_039, `${sort} ${order}`);
    }
  }
  const found = (await get('/tools?search=pdf%20OR%20%E6%B0%B4%E5%8D%B0&size=5')).json();
  assert.ok(found.data.pagination.total > 50);
  const { tool_id, name } = found.data.tools[0];
  assert.equal((await get(`/tools/${tool_id}`)).json().data.name, name);
});

test("an export line brings back nothing that ml-commons' routes would have refused", async (t) => {
  const line = (ml_commons: unknown) => JSON.stringify({ toolcrib: 1, name: 'x', ml_commons });
  const bad = [
    { type: 't', parameters: null },
    { type: 't', parameters: [1] },
    { type: 't', more: 1 },
    { parameters: {} },
    [],
    { type: 't', attributes: { input_schema: '{"type":"object","__proto__":{}}' } },
    { type: 't', attributes: { input_schema: '{"type":"object","$ref":"http://x/"}' } },
    { type: 't', attributes: { input_schema: `{"type":"object","a":${'['.repeat(9999)}` } },
  ];
  const { stdout, tools } = await imported(t, [...bad.map(line), '{"name":"good"}'].join('\n'));
  assert.equal(stdout, `1 created, 0 updated, 0 skipped, ${bad.length} refused\n`);
  assert.deepEqual(
    tools.map(({ name }) => name),
    ['good'],
  );
});
