import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { FastifyInstance } from 'fastify';
import { parseQuery } from '../../src/search/grammar.ts';
import { encodeVector } from '../../src/search/vectors.ts';
import type { Store } from '../../src/store/store.ts';
import { allowsName } from '../../src/store/tool-patterns.ts';
import type { ToolPageQuery } from '../../src/store/tool-queries.ts';
import { BASE } from '../helper.ts';
import { HOUR_MS, numberOf, twoCatalogues } from './two-catalogues.ts';

const at = (ms: number) => new Date(ms).toISOString();

/** What is asked of each route that reads tools; one that is not here fails the test. */
const REQUESTS: Record<string, (now: number) => string[]> = {
  'GET /tools': () => [
    '',
    ...['name', 'created_at', 'updated_at', 'category'].map((sort) => `?sort=${sort}&order=desc`),
    ...['total_calls', 'success_rate', 'avg_execution_time_ms'].map(
      (sort) => `?sort=usage_stats.${sort}&order=desc&size=7&from=3`,
    ),
    '?size=100&category=read',
    '?status=inactive&server=github',
    '?author=zebra&tags=folder&tags=okapi',
    '?read_only=true&min_success_rate=0.6',
    '?search=delete%20-branch',
    '?search=%22the%20okapi%22&sort=created_at',
    '?search=issues%20OR%20message&size=100&sort=usage_stats.total_calls',
    ...[
      'zebra',
      'zebro',
      'quoka message',
      'delete the folders of github',
      'github__list_issues',
    ].map((search) => `?sort=relevance&explain=true&size=100&search=${encodeURIComponent(search)}`),
    '?sort=relevance&search=narwhal%20-gitlab&server=files',
    '?sort=relevance&order=asc&search=list&from=2',
    '?search=nothing%20like%20it',
    '?from=1000',
  ],
  'GET /tools/_list': () => [''],
  'GET /tools/:tool_id': () => [''],
  'GET /tools/:tool_id/versions': () => ['', '?size=1&from=1'],
  'GET /tools/:tool_id/usage': (now) => [
    '',
    '?interval=day',
    `?interval=minute&since=${at(now - 10 * HOUR_MS)}`,
  ],
  'GET /tools/:tool_id/calls': () => ['', '?success=false&size=3&from=1', '?caller=agent-1'],
  'GET /usage': (now) => [
    ...['hour', 'day', 'minute'].map((interval) => `?interval=${interval}`),
    ...['tool', 'caller', 'server', 'category'].map(
      (group) => `?group_by=${group}&size=5&since=${at(now - 60 * HOUR_MS)}`,
    ),
    `?interval=day&group_by=tool&size=100`,
    `?interval=minute&since=${at(now - 23 * HOUR_MS)}`,
  ],
  'GET /calls': (now) => [
    '',
    '?success=true&caller=agent-2',
    `?since=${at(now - 30 * HOUR_MS)}&until=${at(now - 5 * HOUR_MS)}`,
  ],
};

/** Routes of these scopes are about tools. */
const ABOUT_TOOLS = ['tools:read', 'usage:read'];

async function ask(app: FastifyInstance, authorization: string, path: string, headers = {}) {
  const answer = await app.inject({ url: BASE + path, headers: { authorization, ...headers } });
  const { etag } = answer.headers;
  return { status: answer.statusCode, body: answer.body, etag };
}

for (const patterns of [
  ['github__*'],
  ['!*__delete_*'],
  ['*__list_*', '*_message', '!mail__*'],
  ['files__read_folder'],
  ['nothing*'],
]) {
  test(`to a token for ${patterns.join(' ')} all answers are of a catalogue with no other tools`, async (t) => {
    const { narrowed, alone, rows } = await twoCatalogues(t, patterns);
    const routes = narrowed.routes.filter(
      ({ method, url, access }) =>
        method === 'GET' && url.startsWith(BASE) && ABOUT_TOOLS.includes(access ?? ''),
    );
    assert.deepEqual(
      routes.map(({ url }) => `GET ${url.slice(BASE.length)}`).sort(),
      Object.keys(REQUESTS).sort(),
      'a route that reads tools is missing from this test',
    );
    const hidden = rows.find(({ name }) => !allowsName(patterns, name));
    const visible = rows.filter(({ name }) => allowsName(patterns, name)).slice(0, 6);
    const ids = [...visible, hidden].map((row) => row?.tool_id ?? '').concat('tool-none');
    let compared = 0;
    for (const [route, requests] of Object.entries(REQUESTS)) {
      const path = route.slice('GET '.length);
      const paths = path.includes(':tool_id')
        ? ids.map((id) => path.replace(':tool_id', id))
        : [path];
      for (const url of paths.flatMap((one) => requests(Date.now()).map((query) => one + query))) {
        const own = await ask(narrowed.app, narrowed.bearer, url);
        const others = await ask(alone.app, alone.authorization, url);
        assert.equal(own.body, others.body, url);
        assert.equal(own.status, others.status, url);
        assert.ok(own.status < 300 || own.status === 404, `${url}: ${own.status}`);
        const { etag } = await ask(alone.app, alone.bearer, url);
        assert.equal(own.etag, etag, url);
        if (own.etag !== undefined) {
          const headers = { 'if-none-match': String(etag) };
          assert.equal((await ask(narrowed.app, narrowed.bearer, url, headers)).status, 304, url);
        }
        compared += 1;
      }
    }
    assert.ok(compared > 50);
  });
}

test('what happens to tools outside changes no answer and no tag', async (t) => {
  const patterns = ['github__*'];
  const { narrowed, rows } = await twoCatalogues(t, patterns);
  const urls = [
    '/tools',
    '/tools?search=zebra&sort=relevance&explain=true',
    '/usage?group_by=caller',
  ];
  const look = () => Promise.all(urls.map((url) => ask(narrowed.app, narrowed.bearer, url)));
  const before = await look();
  const outside = rows.filter(({ name }) => !allowsName(patterns, name)).slice(0, 3);
  const headers = { authorization: narrowed.authorization };
  const call = { execution_time_ms: 5, success: false, error: 'zebra', caller: 'agent-1' };
  for (const { tool_id } of outside) {
    const url = `${BASE}/tools/${tool_id}`;
    const payload = { calls: [call] };
    await narrowed.app.inject({ method: 'POST', url: `${url}/calls`, headers, payload });
    await narrowed.app.inject({ method: 'PUT', url, headers, payload: { description: 'zebra' } });
  }
  await narrowed.app.inject({
    method: 'DELETE',
    url: `${BASE}/tools/${outside[0]?.tool_id}`,
    headers,
  });
  assert.deepEqual(await look(), before);
});

test('a tool that is renamed comes into sight, or goes out of it', async (t) => {
  const { narrowed, rows } = await twoCatalogues(t, ['github__*']);
  const headers = { authorization: narrowed.authorization };
  const tool = rows.find(({ tool_id }) => tool_id === 'tool-40');
  const url = `${BASE}/tools/${tool?.tool_id}`;
  const seen = async () => {
    const search = '/tools?sort=relevance&size=100&search=renamed';
    const one = await ask(narrowed.app, narrowed.bearer, `/tools/${tool?.tool_id}`);
    const { pagination } = JSON.parse((await ask(narrowed.app, narrowed.bearer, search)).body).data;
    return [one.status, pagination.total];
  };
  const rename = (name: string) =>
    narrowed.app.inject({ method: 'PUT', url, headers, payload: { name, description: 'renamed' } });
  assert.deepEqual(await seen(), [404, 0]);
  await rename('github__renamed');
  assert.deepEqual(await seen(), [200, 1]);
  await rename('gitlab__renamed');
  assert.deepEqual(await seen(), [404, 0]);
});

test('more lists of patterns at once than are kept get each their own answers', async (t) => {
  const { narrowed, rows } = await twoCatalogues(t, ['*']);
  const shown = rows.filter(({ tool_id }) => numberOf(tool_id) % 11 !== 5);
  for (let round = 0; round < 2; round += 1) {
    await Promise.all(
      shown.map(async ({ name }) => {
        const tools = narrowed.store.narrowed([name]).tools;
        const page = { filter: {}, sort: 'name', order: 'asc', size: 10, from: 0 } as const;
        const { total, tools: found } = await tools.list(page);
        assert.deepEqual([total, found[0]?.name], [1, name]);
      }),
    );
  }
});

test('meaning is looked for among the visible tools only', async (t) => {
  const patterns = ['github__*', '!*_branch'];
  const { narrowed, alone } = await twoCatalogues(t, patterns);
  // What a model makes of a tool is the same wherever it is kept.
  const vectorOf = (number: number) =>
    encodeVector(
      Array.from({ length: 32 }, (_, at) => Math.sin(number * 7 + 1 + at * (number % 5))),
    );
  for (const { store } of [narrowed, alone]) {
    const { tools } = store.vectors.missingAfter(0, 1_000, 'model');
    const vectors = tools.map(({ id, revision, document }) => ({
      id,
      revision,
      vector: vectorOf(numberOf(JSON.parse(document).tool_id)),
    }));
    await store.vectors.put('model', vectors);
  }
  for (const text of ['create the folder', 'narwhal']) {
    const parsed = parseQuery(text, { sentence: true });
    assert.ok('query' in parsed);
    const query: ToolPageQuery = {
      ...{ sort: 'relevance', order: 'desc', size: 50, from: 0, explain: true },
      filter: { search: parsed.query },
      meaning: { model: 'model', vector: vectorOf(text.length) },
    };
    const shown = async (tools: Store['tools']) => {
      const page = await tools.list(query);
      return { ...page, tools: page.tools.map(({ id: _id, ...tool }) => tool) };
    };
    const own = await shown(narrowed.store.narrowed(patterns).tools);
    assert.ok(own.isHybrid && own.tools.length > 0);
    assert.deepEqual(own, await shown(alone.store.tools));
  }
});

test('whatever the patterns, a list and a search show what they let through and nothing else', async (t) => {
  const { narrowed } = await twoCatalogues(t, ['*']);
  const page = { sort: 'name', order: 'asc', size: 100, from: 0 } as const;
  const all = (await narrowed.store.tools.list({ ...page, filter: {} })).tools;
  const parsed = parseQuery('okapi OR delete');
  assert.ok('query' in parsed);
  const part = fc.constantFrom('github__', '*_', '*', 'delete', 'l', 'mail', 's', '__', 'folder');
  const glob = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(''));
  const pattern = fc.tuple(fc.constantFrom('', '', '!'), glob).map((parts) => parts.join(''));
  let visible = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(pattern, { minLength: 1, maxLength: 4 }), async (patterns) => {
      const { tools } = narrowed.store.narrowed(patterns);
      const expected = all.filter(({ name }) => allowsName(patterns, name));
      const list = await tools.list({ ...page, filter: {} });
      assert.deepEqual([list.tools, list.total], [expected, expected.length]);
      const found = await tools.list({ ...page, filter: { search: parsed.query } });
      const matching = expected.filter(({ document }) => {
        const { name, description } = JSON.parse(document);
        return /okapi|delete/i.test(`${name}\n${description}`);
      });
      assert.deepEqual([found.tools, found.total], [matching, matching.length]);
      visible += Number(expected.length > 0);
    }),
    { numRuns: 150 },
  );
  assert.ok(visible > 10);
});
