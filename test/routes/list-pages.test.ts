import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startApp } from '../helper.ts';
import { fillCatalogue, type GivenTool } from './fill-catalogue.ts';

// Categories whose order by UTF-16 code units is another than the one by code points.
const CATEGORIES = [
  ...[undefined, 'a', 'A', 'B', 'Z', 'b', 'ab', 'a b', 'é', 'z', 'ß', '天', 'が', '\ue000'],
  ...['\ufb01', '\uff21', '\uffff', '😀', '\u{10000}', '\u{10ffff}', ' ', '~', 'a\u0301'],
];

/** 300 tools, many of which share what they are sorted by; deterministic, in no order. */
const TOOLS: GivenTool[] = Array.from({ length: 300 }, (_, at) => {
  const mixed = (at * 7919) % 300;
  const total = mixed % 5 === 0 ? 0 : (mixed * 13) % 9;
  const category = CATEGORIES[mixed % CATEGORIES.length];
  return {
    name: `${['t', 'T', '_t', '.t', '-t', '0'][mixed % 6]}${mixed.toString(36)}`,
    ...(category !== undefined && { category }),
    created_at: 1_700_000_000_000 + (mixed % 11) * 1000,
    updated_at: 1_710_000_000_000 + (mixed % 7),
    total_calls: total,
    successful_calls: Math.floor(total * ((mixed % 4) / 3)),
    total_execution_time_ms: total * ((mixed % 3) + 0.5),
    status: mixed % 10 === 0 ? 'inactive' : 'active',
  };
});

/** By code point, without help of the language's own comparison, which goes by code unit. */
function byCodePoint(a: string, b: string): number {
  const [left, right] = [[...a], [...b]].map((text) =>
    text.map((each) => each.codePointAt(0) ?? 0),
  );
  for (const [at, code] of (left ?? []).entries()) {
    const other = right?.[at];
    if (other === undefined) return 1;
    if (code !== other) return code - other;
  }
  return (left?.length ?? 0) - (right?.length ?? 0);
}

interface Shown {
  tool_id: string;
  name: string;
  metadata: { category?: string };
  created_at: string;
  updated_at: string;
  usage_stats: { total_calls: number; success_rate: number; avg_execution_time_ms: number };
}

test('pages', async (t) => {
  const { store, get } = await startApp(t);
  await fillCatalogue(store, TOOLS);
  const given = new Map(TOOLS.map((tool) => [tool.name, tool]));

  /** Sort on the wire, and how two shown tools compare by it. */
  const sorts: [string, (a: Shown, b: Shown) => number][] = [
    ['name', () => 0],
    ['category', (a, b) => byCodePoint(a.metadata.category ?? '', b.metadata.category ?? '')],
    ['created_at', (a, b) => time('created_at', a) - time('created_at', b)],
    ['updated_at', (a, b) => time('updated_at', a) - time('updated_at', b)],
    ...(['total_calls', 'success_rate', 'avg_execution_time_ms'] as const).map(
      (key): [string, (a: Shown, b: Shown) => number] => [
        `usage_stats.${key}`,
        (a, b) => a.usage_stats[key] - b.usage_stats[key],
      ],
    ),
  ];

  /** The wire shows seconds, the order follows milliseconds. */
  function time(key: 'created_at' | 'updated_at', { name }: Shown): number {
    return given.get(name)?.[key] ?? 0;
  }

  async function page(
    query: string,
  ): Promise<{ tools: Shown[]; pagination: Record<string, unknown> }> {
    const answer = await get(`/tools?${query}`);
    assert.equal(answer.statusCode, 200, `${query}: ${answer.body.slice(0, 300)}`);
    return answer.json().data;
  }

  async function walk(query: string, size: number, total: number): Promise<Shown[]> {
    const walked: Shown[] = [];
    for (let from = 0; ; from += size) {
      const { tools, pagination } = await page(`${query}&size=${size}&from=${from}`);
      walked.push(...tools);
      const has_more = from + size < total;
      assert.deepEqual(pagination, { total, size, from, has_more });
      assert.equal(tools.length, Math.max(0, Math.min(size, total - from)));
      if (!has_more) return walked;
    }
  }

  for (const [sort, compare] of sorts) {
    for (const order of ['asc', 'desc'] as const) {
      await t.test(
        `sort=${sort}, order=${order}: each tool once and in order, on pages of any size`,
        async () => {
          const direction = order === 'asc' ? 1 : -1;
          const walks: string[][] = [];
          for (const size of [1, 7, 100]) {
            const tools = await walk(`sort=${sort}&order=${order}`, size, TOOLS.length);
            assert.equal(new Set(tools.map((tool) => tool.tool_id)).size, TOOLS.length);
            for (const [at, tool] of tools.entries()) {
              const next = tools[at + 1];
              if (next === undefined) continue;
              const key = direction * compare(tool, next);
              // Ties go by name, upwards whatever the order is; so do all when the name is the sort.
              const names = byCodePoint(tool.name, next.name);
              const ordered =
                sort === 'name' ? direction * names < 0 : key < 0 || (key === 0 && names < 0);
              assert.ok(ordered, `${tool.name} before ${next.name}`);
            }
            walks.push(tools.map((tool) => tool.name));
          }
          assert.deepEqual(walks[0], walks[1]);
          assert.deepEqual(walks[0], walks[2]);
        },
      );
    }
  }

  await t.test('total and order are exact under a filter, whatever the page', async () => {
    for (const [filter, holds] of [
      ['status=inactive', ({ status }: GivenTool) => status === 'inactive'],
      ['category=%F0%9F%98%80', ({ category }: GivenTool) => category === '😀'],
      ['search=t', ({ name }: GivenTool) => name.toLowerCase().includes('t')],
    ] as const) {
      const expected = TOOLS.filter(holds)
        .map(({ name }) => name)
        .sort(byCodePoint);
      assert.ok(expected.length > 5 && expected.length < 300);
      for (const size of [1, 7, 100]) {
        const tools = await walk(filter, size, expected.length);
        assert.deepEqual(
          tools.map(({ name }) => name),
          expected,
        );
      }
    }
  });

  await t.test('a page past the end is empty, with the same total', async () => {
    for (const from of [300, 301, 10 ** 6, 2 ** 31 - 1]) {
      for (const size of [1, 10, 100]) {
        const { tools, pagination } = await page(`size=${size}&from=${from}`);
        assert.deepEqual(tools, []);
        assert.deepEqual(pagination, { total: 300, size, from, has_more: false });
      }
    }
    // Also when nobody asked for any page of that filter before.
    const total = TOOLS.filter(({ category }) => category === 'B').length;
    const first = await page('category=B&from=50');
    assert.deepEqual(first.pagination, { total, size: 10, from: 50, has_more: false });
    assert.equal((await get('/tools?from=300')).json().message, 'Tools retrieved successfully');
  });

  await t.test('without parameters it is the first 10 by name', async () => {
    const { tools, pagination } = await page('');
    assert.deepEqual(pagination, { total: 300, size: 10, from: 0, has_more: true });
    const names = TOOLS.map(({ name }) => name).sort(byCodePoint);
    assert.deepEqual(
      tools.map(({ name }) => name),
      names.slice(0, 10),
    );
    const second = await page('sort=name&order=asc&size=10&from=10');
    assert.deepEqual(
      second.tools.map(({ name }) => name),
      names.slice(10, 20),
    );
  });

  await t.test('pages follow every change at once, also those asked for twice before', async () => {
    const names = async (query: string) => (await page(query)).tools.map(({ name }) => name);
    for (const query of ['size=3', 'size=3&order=desc', 'size=3&search=new', 'size=3&from=299']) {
      await page(query);
      await page(query);
    }
    await fillCatalogue(store, [{ name: '!new' }, { name: '~new' }]);
    assert.equal((await names('size=3'))[0], '!new');
    assert.equal((await names('size=3&order=desc'))[0], '~new');
    assert.deepEqual(await names('size=3&search=new'), ['!new', '~new']);
    assert.equal((await page('size=3&from=299')).pagination['total'], 302);
  });
});
