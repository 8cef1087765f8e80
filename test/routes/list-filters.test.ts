import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { startApp } from '../helper.ts';
import { fillCatalogue, type GivenTool } from './fill-catalogue.ts';

const CATEGORIES = [
  'search',
  'Search',
  'search ',
  'sear',
  'größe',
  'gro\u0308ße',
  "a'b",
  'a%b',
  'a_b',
  'a,b',
  'null',
];
const AUTHORS = ['Lucenia Team', 'lucenia team', 'ML Team', '😀'];
const SERVERS = ['github', 'GitHub', 'git'];
const TAGS = ['red', 'Red', 'green', 'blue', 're'];
const STATUSES = ['active', 'inactive', 'error'] as const;

const pick = <Value>(values: readonly Value[], at: number) => values[at % values.length];

/** 240 tools in which each value stands beside each other one. */
const TOOLS: GivenTool[] = Array.from({ length: 240 }, (_, at) => {
  const category = pick([...CATEGORIES, undefined], at);
  const author = pick([...AUTHORS, undefined], at * 3);
  const server = pick([...SERVERS, undefined, undefined], at * 5 + 1);
  const read_only = pick([true, false, undefined], at * 7);
  const status = pick(STATUSES, Math.floor(at / 5));
  const total = at % 4 === 0 ? 0 : 1000;
  return {
    name: `tool_${String(at).padStart(3, '0')}`,
    description: pick(['Searches documents', 'Finds places', ''], at) ?? '',
    tags: TAGS.filter((_tag, index) => (at >> index) % 2 === 1),
    total_calls: total,
    successful_calls: total === 0 ? 0 : 900 + (at % 101),
    ...(category !== undefined && { category }),
    ...(author !== undefined && { author }),
    ...(server !== undefined && { server }),
    ...(read_only !== undefined && { read_only }),
    ...(status !== undefined && { status }),
  };
});

interface Filters {
  category?: string;
  status?: (typeof STATUSES)[number];
  author?: string;
  server?: string;
  tags?: string[];
  read_only?: boolean;
  min_success_rate?: number;
  search?: string;
}

/** What the filters mean, said a second time. */
function holds(filters: Filters, tool: GivenTool): boolean {
  const { tags, read_only, min_success_rate: least, search, ...exact } = filters;
  const rate = tool.total_calls ? (tool.successful_calls ?? 0) / tool.total_calls : 0;
  return (
    Object.entries(exact).every(([key, value]) => tool[key as keyof typeof exact] === value) &&
    (tags === undefined || tags.some((tag) => tool.tags?.includes(tag))) &&
    (read_only === undefined || (tool.read_only ?? false) === read_only) &&
    (least === undefined || rate >= least) &&
    (search === undefined || `${tool.name} ${tool.description}`.toLowerCase().includes(search))
  );
}

function queryOf({ tags = [], ...filters }: Filters): string {
  const pairs = Object.entries(filters).map(([key, value]): [string, string] => [key, `${value}`]);
  return new URLSearchParams([
    ...pairs,
    ...tags.map((tag): [string, string] => ['tags', tag]),
  ]).toString();
}

test('filters', async (t) => {
  const { store, get } = await startApp(t);
  await fillCatalogue(store, TOOLS);

  async function listed(filters: Filters) {
    const answer = await get(`/tools?size=100&${queryOf(filters)}`);
    assert.equal(answer.statusCode, 200, answer.body.slice(0, 300));
    const { tools, pagination, filters_applied } = answer.json().data;
    return {
      names: tools.map(({ name }: GivenTool) => name),
      total: pagination.total,
      filters_applied,
    };
  }

  async function assertListed(filters: Filters): Promise<number> {
    const { names, total, filters_applied } = await listed(filters);
    const expected = TOOLS.filter((tool) => holds(filters, tool)).map(({ name }) => name);
    assert.deepEqual(names, expected.slice(0, 100), queryOf(filters));
    assert.equal(total, expected.length);
    assert.deepEqual(filters_applied, { category: null, status: null, search: null, ...filters });
    return total;
  }

  const alone: Filters[] = [
    ...[...CATEGORIES, 'nonexistent', '%', '*', '_'].map((category) => ({ category })),
    ...STATUSES.map((status) => ({ status })),
    ...[...AUTHORS, 'Lucenia', 'undefined'].map((author) => ({ author })),
    ...[...SERVERS, 'hub'].map((server) => ({ server })),
    ...[true, false].map((read_only) => ({ read_only })),
    ...[0, 0.000001, 0.9, 0.95, 0.9505, 0.951, 0.999, 1].map((min_success_rate) => ({
      min_success_rate,
    })),
    ...TAGS.map((tag) => ({ tags: [tag] })),
    { tags: ['red', 'blue'] },
    { tags: ['red', 'red'] },
    { tags: ['none'] },
    { tags: ['none', 're'] },
    { search: 'places' },
  ];
  for (const filters of alone) {
    await t.test(`${decodeURIComponent(queryOf(filters))} compares exactly`, async () => {
      await assertListed(filters);
    });
  }

  await t.test('filters hold together, in any combination', async () => {
    const filters = fc.record(
      {
        category: fc.constantFrom(...CATEGORIES),
        status: fc.constantFrom(...STATUSES),
        author: fc.constantFrom(...AUTHORS),
        server: fc.constantFrom(...SERVERS),
        tags: fc.uniqueArray(fc.constantFrom(...TAGS), { minLength: 1, maxLength: 3 }),
        read_only: fc.boolean(),
        min_success_rate: fc.constantFrom(0, 0.5, 0.92, 1),
        search: fc.constantFrom('tool', 'documents', '00', 'places'),
      },
      { requiredKeys: [] },
    );
    // Four and more rarely leave a tool to find.
    const few = filters.filter((given) => Object.keys(given).length <= 3);
    let found = 0;
    await fc.assert(
      fc.asyncProperty(few, async (given) => {
        if ((await assertListed(given)) > 0) found += 1;
      }),
      { numRuns: 200 },
    );
    assert.ok(found > 20, `only ${found} of the combinations found something`);
  });

  await t.test('a blank text filter is not applied, and shown as not applied', async () => {
    for (const blank of ['', '%20', '+%09', '%E3%80%80']) {
      for (const name of ['category', 'author', 'server', 'search', 'tags']) {
        const { data, message } = (await get(`/tools?${name}=${blank}`)).json();
        assert.equal(message, 'Tools retrieved successfully');
        assert.equal(data.pagination.total, TOOLS.length);
        assert.deepEqual(data.filters_applied, { category: null, status: null, search: null });
      }
    }
    const { filters_applied } = (await get('/tools?tags=&tags=red&tags=+')).json().data;
    assert.deepEqual(filters_applied.tags, ['red']);
  });

  await t.test(
    "filters_applied has Lucenia's three keys first, and no parameter of the page",
    async () => {
      const query =
        'sort=category&order=desc&size=5&from=2&server=git&read_only=false&min_success_rate=0&status=active&tags=red&author=x&search=a&category=b&pretty&human';
      const { filters_applied } = (await get(`/tools?${query}`)).json().data;
      assert.deepEqual(Object.keys(filters_applied).slice(0, 3), ['category', 'status', 'search']);
      assert.deepEqual(Object.keys(filters_applied).slice(3).sort(), [
        'author',
        'min_success_rate',
        'read_only',
        'server',
        'tags',
      ]);
    },
  );

  await t.test('no match is an empty page with the words for it', async () => {
    const { message, data } = (await get('/tools?category=nonexistent')).json();
    assert.equal(message, 'No tools found matching the criteria');
    assert.deepEqual(data.pagination, { total: 0, size: 10, from: 0, has_more: false });
  });
});
