import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { registerTools } from '../../src/catalogue/register.ts';
import { removeTool } from '../../src/catalogue/remove.ts';
import { searchTools } from '../../src/catalogue/search-tools.ts';
import { updateTool } from '../../src/catalogue/update.ts';
import type { SearchToolsParams } from '../../src/schemas/search-tools.ts';
import type { ToolDefinition } from '../../src/schemas/tool.ts';
import { fold } from '../../src/search/fold.ts';
import { matches, parseQuery } from '../../src/search/grammar.ts';
import type { Store } from '../../src/store/store.ts';
import { makeStore } from '../store/stores.ts';

const TOOLS: ToolDefinition[] = [
  {
    name: 'disk.read',
    title: 'Reader',
    description: 'Shows a file',
    tags: ['Files', 'look'],
    metadata: { category: 'disk', author: '', version: '' },
    annotations: { readOnlyHint: true },
    input_schema: { type: 'object', properties: { path: { type: 'string' } } },
    output_schema: { type: 'object' },
  },
  {
    name: 'disk.remove',
    description: 'Takes a file away',
    tags: ['Files'],
    metadata: { category: 'disk', author: '', version: '' },
  },
  { name: 'Zebra', description: 'Straße nach Łódź', tags: ['日本語'] },
  {
    name: 'mail.send',
    description: 'Sends a letter',
    metadata: { category: 'Post', author: '', version: '' },
    parameters: { to: { type: 'string', description: '', required: true } },
  },
];

async function setUp(t: TestContext, tools: readonly ToolDefinition[] = TOOLS) {
  const { store } = makeStore(t);
  if (tools.length > 0) await registerTools(store, tools);
  return { store, names: (params: SearchToolsParams) => namesOf(store, params) };
}

async function namesOf(store: Store, params: SearchToolsParams): Promise<string[]> {
  return (await searchTools(store, params)).tools.map(({ name }) => name);
}

const ALL = ['Zebra', 'disk.read', 'disk.remove', 'mail.send'];
const CASES: [SearchToolsParams, string[]][] = [
  [{}, ALL],
  [{ query: null, category: null, tags: null, readOnly: null, cursor: null, limit: null }, ALL],
  [{ query: '  ', category: ' ', tags: [] }, ALL],
  [{ query: 'FILE' }, ['disk.read', 'disk.remove']],
  [{ query: 'file away' }, ['disk.remove']],
  [{ query: 'post' }, ['mail.send']],
  [{ query: 'look file' }, ['disk.read']],
  [{ query: 'strasse lodz' }, ['Zebra']],
  [{ query: '本' }, ['Zebra']],
  [{ query: 'disk -look' }, ['disk.remove']],
  [{ query: 'zebra OR post' }, ['Zebra', 'mail.send']],
  [{ query: '"files look"' }, []],
  [{ query: 'reader' }, []],
  [{ query: 'path' }, []],
  [{ category: 'disk' }, ['disk.read', 'disk.remove']],
  [{ category: 'Disk' }, []],
  [{ tags: ['Files'] }, ['disk.read', 'disk.remove']],
  [{ tags: ['files'] }, []],
  [{ tags: ['nothing', 'look'] }, ['disk.read']],
  [{ tags: [''] }, []],
  [{ readOnly: true }, ['disk.read']],
  [{ readOnly: false }, ['Zebra', 'disk.remove', 'mail.send']],
  [{ category: 'disk', readOnly: false, query: 'file', tags: ['Files'] }, ['disk.remove']],
  [{ minSuccessRate: 0.5 }, []],
];

test('every parameter narrows the active tools, in the order of their names', async (t) => {
  const { names, store } = await setUp(t);
  for (const [params, expected] of CASES) {
    assert.deepEqual(await names(params), expected, JSON.stringify(params));
  }
  const { tools } = await registerTools(store, [{ name: 'off', description: 'A file' }]);
  await updateTool(store, tools[0]?.tool_id ?? '', { status: 'inactive' });
  assert.deepEqual(await names({ query: 'file' }), ['disk.read', 'disk.remove']);
});

test('a tool is shown as MCP does, with all hints, and less of it when less is asked for', async (t) => {
  const { store } = await setUp(t);
  const found = await searchTools(store, { query: 'reads OR read', limit: 1 });
  assert.deepEqual(found, {
    tools: [
      {
        name: 'disk.read',
        title: 'Reader',
        description: 'Shows a file',
        inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
        outputSchema: { type: 'object' },
        annotations: {
          title: 'Reader',
          readOnlyHint: true,
          destructiveHint: true,
          idempotentHint: false,
          openWorldHint: true,
        },
        _meta: { category: 'disk', tags: ['Files', 'look'], callable: false },
      },
    ],
    total: 1,
    nextCursor: null,
  });
  const [summary] = (await searchTools(store, { query: 'disk.read', detail: 'summary' })).tools;
  const { inputSchema: _, outputSchema: __, ...rest } = found.tools[0] ?? { name: '' };
  assert.deepEqual(summary, rest);
  const { tools } = await searchTools(store, { query: 'letter', detail: 'names' });
  assert.deepEqual(tools, [{ name: 'mail.send' }]);
  const [mail] = (await searchTools(store, { query: 'letter' })).tools;
  assert.deepEqual(mail?.inputSchema?.required, ['to']);
});

test('by relevance the best come first, one word is enough, and explain says why', async (t) => {
  const { store } = await setUp(t);
  const params = { query: 'send something by letter', rank: 'relevance' } as const;
  const { tools, total } = await searchTools(store, { ...params, explain: true });
  assert.equal(total, 1);
  const meta = tools[0]?._meta as { score: number; explanation: { words: unknown[] } };
  assert.ok(meta.score > 0 && meta.score <= 1);
  assert.ok(meta.explanation.words.length >= 2);
  assert.deepEqual(await namesOf(store, { ...params, category: 'disk' }), []);
  const query = 'file zebra letter';
  const first = await searchTools(store, { query, rank: 'relevance', limit: 3 });
  const cursor = first.nextCursor;
  const second = await searchTools(store, { query, rank: 'relevance', limit: 3, cursor });
  assert.deepEqual([...first.tools, ...second.tools].map(({ name }) => name).sort(), ALL);
  assert.deepEqual([first.total, second.nextCursor], [4, null]);
});

for (const [what, params, field] of [
  ['nothing to look for', { query: '""' }, 'query'],
  ['too many words', { query: 'a '.repeat(33) }, 'query'],
  ['an offset as a cursor', { cursor: 'NTA' }, 'cursor'],
  ['a cursor of nobody', { cursor: '====' }, 'cursor'],
  [
    'a cursor with more behind it',
    { cursor: `${Buffer.from('name:a').toString('base64url')}=` },
    'cursor',
  ],
  [
    'a cursor of the other ranking',
    { cursor: Buffer.from('rank:5').toString('base64url') },
    'cursor',
  ],
  [
    'a place that is none',
    { cursor: Buffer.from('rank:-5').toString('base64url'), rank: 'relevance', query: 'a' },
    'cursor',
  ],
  ['relevance to nothing', { rank: 'relevance' }, 'rank'],
] as [string, SearchToolsParams, string][]) {
  test(`${what} is refused, naming ${field}`, async (t) => {
    const { store } = await setUp(t, []);
    await assert.rejects(searchTools(store, params), (error: Record<string, unknown>) => {
      assert.equal(error['type'], 'ValidationError');
      assert.equal((error['details'] as { field?: string }).field, field);
      return true;
    });
  });
}

test('pages neither repeat nor skip while tools come and go between them', async (t) => {
  const many = Array.from({ length: 1_200 }, (_, at) => ({
    name: `tool_${String(at).padStart(4, '0')}`,
    description: 'one of many',
  }));
  for (const params of [
    {},
    { query: 'many' },
    { query: 'tool_00' },
  ] satisfies SearchToolsParams[]) {
    const { store } = await setUp(t, many);
    const expected = await allNames(store, params);
    assert.ok(expected.length > 50);
    const seen: string[] = [];
    let cursor: string | null = null;
    let page = 0;
    do {
      const result = await searchTools(store, { ...params, limit: 40, cursor });
      seen.push(...result.tools.map(({ name }) => name));
      cursor = result.nextCursor;
      page += 1;
      // Before and behind the place where the next page begins.
      const before = `tool_00000${page}`;
      const { tools } = await registerTools(store, [{ name: before, description: 'one of many' }]);
      if (page % 2 === 0) await removeTool(store, tools[0]?.tool_id ?? '');
    } while (cursor !== null);
    assert.deepEqual(
      seen.filter((name) => name.length === 9),
      expected,
    );
    assert.equal(new Set(seen).size, seen.length);
  }
});

async function allNames(store: Store, params: SearchToolsParams): Promise<string[]> {
  const names: string[] = [];
  let cursor: string | null = null;
  do {
    const page = await searchTools(store, { ...params, limit: 100, cursor });
    names.push(...page.tools.map(({ name }) => name));
    cursor = page.nextCursor;
  } while (cursor !== null);
  return names;
}

test('a query finds what its grammar says of name, description, category and tags', async (t) => {
  const text = fc.string({
    unit: fc.constantFrom('a', 'b', 'ß', 'É', ' ', '本', '_'),
    maxLength: 8,
  });
  const tool = fc.record({
    description: text,
    category: text,
    tags: fc.array(text, { maxLength: 3 }),
  });
  const query = fc.string({
    unit: fc.constantFrom('a', 'b', 's', 'e', ' ', '"', '-', '本', ' OR '),
    maxLength: 8,
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(tool, { minLength: 1, maxLength: 12 }),
      fc.array(query, { minLength: 20, maxLength: 20 }),
      async (given, queries) => {
        const tools = given.map(({ description, category, tags }, at) => ({
          name: `t${at}`,
          description,
          tags: [...new Set(tags)],
          metadata: { category, author: '', version: '' },
        }));
        const { store } = makeStore(t);
        await registerTools(store, tools);
        for (const each of queries) {
          const parsed = parseQuery(each);
          if (!('query' in parsed)) continue;
          const expected = tools
            .filter(({ name, description, tags, metadata }) =>
              matches(parsed.query, [name, description, metadata.category, ...tags].map(fold)),
            )
            .map(({ name }) => name)
            .sort();
          assert.deepEqual(await namesOf(store, { query: each }), expected, each);
        }
      },
    ),
    { numRuns: 8 },
  );
});

const DATA = process.env['TOOLCRIB_TEST_DATA'];

interface Recorded {
  name: string;
  description: string;
  input_schema: { required?: null };
  output_schema?: object;
  title?: string;
  category?: string;
  tags?: string[];
  annotations?: object;
  read_only_hint?: boolean;
}

test("PraisonAI's recorded answers name the same tools where they should", {
  skip: DATA ? false : 'TOOLCRIB_TEST_DATA names no folder with tools-search-cases.json',
}, async (t) => {
  const file = readFileSync(join(DATA ?? '', 'tools-search-cases.json'), 'utf8');
  const { registries, cases } = JSON.parse(file);
  const recorded: Recorded[] = registries.fixture12.tools_in_registration_order;
  const { store } = await setUp(t, recorded.map(toDefinition));
  let compared = 0;
  for (const { case: name, registry, kind, input, response, advice } of cases) {
    const isOurs = kind === 'jsonrpc' && input.method === 'tools/search' && input.jsonrpc === '2.0';
    if (!isOurs || registry !== 'fixture12' || advice !== 'match') continue;
    const expected = response?.result?.tools?.map((tool: { name: string }) => tool.name).sort();
    if (expected === undefined) continue;
    const params = input.params ?? {};
    const found = await namesOf(store, params);
    // Several words need not stand together here, and accents do not count: `été` is in `delete`.
    if (/\S\s+\S|é/.test(params.query ?? '')) {
      for (const each of expected) assert.ok(found.includes(each), `${name}: ${each}`);
    } else assert.deepEqual(found, expected, name);
    compared += 1;
  }
  assert.ok(compared > 30, `${compared}`);
});

function toDefinition(tool: Recorded): ToolDefinition {
  const { name, description, title, category, tags, annotations, read_only_hint } = tool;
  return {
    name,
    description,
    ...(title && { title }),
    ...(tags && { tags }),
    ...(category && { metadata: { category, author: '', version: '' } }),
    // As recorded: the field wins over what the annotations say.
    annotations: { ...annotations, readOnlyHint: read_only_hint ?? false },
  };
}
