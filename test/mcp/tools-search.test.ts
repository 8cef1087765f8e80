import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startApp, type TestApp } from '../helper.ts';

const DATA = process.env['TOOLCRIB_TEST_DATA'];

interface Case {
  case: string;
  registry: string;
  input: { method?: string; params?: Record<string, unknown> };
  response?: { result?: { tools: { name: string }[]; total: number } };
  /** Of long answers only the names were kept. */
  response_names_only?: { result?: { tools: string[]; total: number } };
  advice: string;
}

interface RecordedTool {
  name: string;
  description: string;
  input_schema?: { required?: unknown };
  title?: string;
  category?: string;
  tags?: string[];
  annotations?: object;
  read_only_hint?: boolean;
}

/** A tool as PraisonAI registers it, for our register route. */
function asRegistered(tool: RecordedTool): object {
  const { name, description, title, category, tags, read_only_hint } = tool;
  const { required, ...schema } = tool.input_schema ?? {};
  return {
    name,
    description,
    input_schema: { type: 'object', ...schema, ...(Array.isArray(required) && { required }) },
    ...(title && { title }),
    ...(category && { metadata: { category } }),
    ...(tags && { tags }),
    annotations: { ...tool.annotations, readOnlyHint: read_only_hint ?? false },
  };
}

/** Marked as equal, but accents do not count here, and `été` stands in `delete`. */
const BY_FOLDING = { 'query-20': true };

const generated = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    name: `tool_${String(at).padStart(3, '0')}`,
    description: `Test tool ${at}`,
    category: at % 2 === 0 ? 'even' : 'odd',
    read_only_hint: at % 3 === 0,
  }));

async function search({ inject }: TestApp, params?: unknown, url = '/mcp') {
  const answer = await inject({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/search', params }),
  });
  return answer.json();
}

const namesOf = (found: { tools: { name: string }[] }) => found.tools.map(({ name }) => name);

async function startWith(t: Parameters<typeof startApp>[0], tools: readonly object[]) {
  const app = await startApp(t);
  if (tools.length > 0) {
    const answer = await app.send('POST', '/tools', { tools });
    assert.equal(answer.statusCode, 201, answer.body);
  }
  return app;
}

test('recorded searches give the same tools, or what the advice beside them says', {
  skip: DATA ? false : 'TOOLCRIB_TEST_DATA names no folder with tools-search-cases.json',
}, async (t) => {
  const { registries, cases } = JSON.parse(
    readFileSync(join(DATA ?? '', 'tools-search-cases.json'), 'utf8'),
  ) as {
    registries: Record<string, { tools_in_registration_order?: RecordedTool[] }>;
    cases: Case[];
  };
  let compared = 0;
  const known: [string, RecordedTool[]][] = [
    ['empty', []],
    ['fixture12', registries['fixture12']?.tools_in_registration_order ?? []],
    ...[50, 75, 120].map((count): [string, RecordedTool[]] => [
      `generated${count}`,
      generated(count),
    ]),
  ];
  for (const [registry, tools] of known) {
    const app = await startWith(t, tools.map(asRegistered));
    for (const one of cases) {
      const { advice, input, response, response_names_only: short } = one;
      if (one.registry !== registry || input.method !== 'tools/search') continue;
      if (one.case in BY_FOLDING || one.case.startsWith('env-') || one.case.startsWith('scope-'))
        continue;
      const { result, error } = await search(app, input.params);
      if (advice.startsWith('match')) {
        const recorded = response?.result ?? short?.result;
        assert.ok(recorded && result, `${one.case}: ${JSON.stringify(error)}`);
        const names = namesOf(result);
        assert.deepEqual(names, [...names].sort(), one.case);
        const wanted = recorded.tools
          .map((tool) => (typeof tool === 'string' ? tool : tool.name))
          .sort();
        const isWordy = /\S\s+\S/.test(String(input.params?.['query'] ?? ''));
        if (isWordy)
          assert.ok(
            wanted.every((name) => names.includes(name)),
            one.case,
          );
        else if (names.length < result.total) assert.equal(result.total, recorded.total, one.case);
        else assert.deepEqual(names, wanted, one.case);
      } else if (/-32602/.test(advice) || /strict decoder|bound to its filters/.test(advice)) {
        assert.equal(error?.code, -32_602, `${one.case}: ${JSON.stringify(result)}`);
      }
      compared += 1;
    }
  }
  assert.ok(compared > 50, `${compared} cases`);
});

const TOOLS = [
  {
    name: 'memory.show',
    description: 'Show memory',
    metadata: { category: 'memory' },
    tags: ['Read'],
  },
  { name: 'web.search', description: 'Search the web', tags: ['internet'] },
  { name: 'file.read', description: 'Read a file', annotations: { readOnlyHint: true } },
  { name: 'file.write', description: 'Write', metadata: { category: 'Größe' } },
].map((tool) => ({ parameters: {}, ...tool }));

const FOUND: [object | undefined, string[]][] = [
  [undefined, ['file.read', 'file.write', 'memory.show', 'web.search']],
  [{ bogus: 1, pageSize: 1 }, ['file.read', 'file.write', 'memory.show', 'web.search']],
  [
    { query: ' ', category: '', tags: [], readOnly: null },
    ['file.read', 'file.write', 'memory.show', 'web.search'],
  ],
  [{ query: 'read' }, ['file.read', 'memory.show']],
  [{ query: 'INTERNET' }, ['web.search']],
  [{ query: 'grosse' }, ['file.write']],
  [{ query: 'file -write' }, ['file.read']],
  [{ query: 'internet OR "a file"' }, ['file.read', 'web.search']],
  [{ query: '-read' }, ['file.write', 'web.search']],
  [{ category: 'memory' }, ['memory.show']],
  [{ category: 'Memory' }, []],
  [{ tags: ['Read', 'internet'] }, ['memory.show', 'web.search']],
  [{ readOnly: true }, ['file.read']],
  [{ readOnly: false, query: 'file' }, ['file.write']],
  [{ minSuccessRate: 0.5 }, []],
];

const WRONG: [object, string][] = [
  [{ query: 5 }, 'query'],
  [{ query: '""' }, 'query'],
  [{ category: [] }, 'category'],
  [{ tags: 'read' }, 'tags'],
  [{ tags: [1] }, 'tags[0]'],
  [{ readOnly: 'true' }, 'readOnly'],
  [{ limit: 101 }, 'limit'],
  [{ limit: 0 }, 'limit'],
  [{ rank: 'relevance' }, 'rank'],
  [{ detail: 'all' }, 'detail'],
  [{ cursor: 'NTA' }, 'cursor'],
  [{ cursor: 7 }, 'cursor'],
];

test('what is found, by each parameter, and what names the parameter that is wrong', async (t) => {
  const app = await startWith(t, TOOLS);
  for (const [params, names] of FOUND) {
    const { result, error } = await search(app, params);
    assert.deepEqual(Object.keys(result ?? error), ['tools', 'total', 'nextCursor']);
    assert.deepEqual(namesOf(result), names, JSON.stringify(params));
    assert.equal(result.total, names.length);
    assert.equal(result.nextCursor, null);
  }
  for (const [params, field] of WRONG) {
    const { error } = await search(app, params);
    assert.equal(error?.code, -32_602, JSON.stringify(params));
    assert.equal(error.data.field, field, JSON.stringify(error));
  }
});

test('details and ranks are asked for, and pages follow names', async (t) => {
  const app = await startWith(t, TOOLS);
  const names: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { result } = await search(app, { limit: 1, cursor, detail: 'names' });
    assert.deepEqual(Object.keys(result.tools[0]), ['name']);
    names.push(...namesOf(result));
    cursor = result.nextCursor;
    if (names.length === 1) {
      const { tools } = (await app.get('/tools?sort=name&size=1')).json().data;
      await app.send('DELETE', `/tools/${tools[0].tool_id}`);
    }
  }
  assert.deepEqual(names, ['file.read', 'file.write', 'memory.show', 'web.search']);
  const ranked = await search(app, { query: 'search something', rank: 'relevance', explain: true });
  const [best] = ranked.result.tools;
  assert.equal(best.name, 'web.search');
  assert.ok(best._meta.score > 0 && best._meta.explanation.words.length > 0);
  const [summary] = (await search(app, { query: 'web', detail: 'summary' })).result.tools;
  assert.deepEqual(Object.keys(summary), ['name', 'description', 'annotations', '_meta']);
  assert.deepEqual(summary._meta, { tags: ['internet'], callable: false });
});
