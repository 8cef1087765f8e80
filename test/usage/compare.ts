import assert from 'node:assert/strict';
import { compareCatalogue, compareSeries } from './compare-series.ts';
import { type Model, type ModelCall, type ModelTool, newestFirst } from './model.ts';
import { type Ask, createPicker, type Picker, type Query, wire } from './picker.ts';

interface Gettable {
  get: (path: string) => Promise<{ statusCode: number; body: string }>;
}

/** Compares the list, by one query that is always the same: what was answered before may be kept. */
export async function compareList({ get }: Gettable, model: Model): Promise<void> {
  const { body } = await get('/tools?size=100&min_success_rate=0');
  const shown: { name: string; usage_stats: object }[] = JSON.parse(body).data.tools;
  assert.deepEqual(
    shown.map(({ name, usage_stats }) => ({ name, usage_stats })),
    model
      .living()
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map((tool) => ({ name: tool.name, usage_stats: shownTotals(model, tool) })),
  );
}

/** Compares all statistics that the application shows with the model's. */
export async function compareAll(
  { get }: Gettable,
  model: Model,
  now: number,
  picks: number,
): Promise<void> {
  const picker = createPicker(picks);
  const ask: Ask = async (path, query = {}) => {
    const answer = await get(`${path}?${queryOf(query)}`);
    assert.equal(answer.statusCode, 200, `${path} ${JSON.stringify(query)}: ${answer.body}`);
    return answer.body;
  };
  await compareSorts(ask, model, picker);
  for (const tool of model.tools) {
    if (tool.isRemoved) {
      assert.equal((await get(`/tools/${tool.tool_id}/usage`)).statusCode, 404);
      continue;
    }
    await compareDetail(ask, model, tool);
    await compareHistory(ask, model, tool, picker);
    await compareSeries(ask, model, tool, now, picker);
  }
  await compareExport(ask, model, picker);
  await compareCatalogue(ask, model, now, picker);
}

function queryOf(query: Query): string {
  const parameters = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(key, String(value));
  }
  return parameters.toString();
}

function shownTotals(model: Model, tool: ModelTool) {
  const { calls: total_calls, success_rate, avg_execution_time_ms } = model.totals(tool);
  return { total_calls, success_rate, avg_execution_time_ms };
}

const SORTS = ['name', 'total_calls', 'success_rate', 'avg_execution_time_ms'] as const;

async function compareSorts(ask: Ask, model: Model, picker: Picker): Promise<void> {
  const rows = model.living().map((tool) => {
    const usage_stats = shownTotals(model, tool);
    return { name: tool.name, ...usage_stats, usage_stats };
  });
  const rates = [...rows.map(({ success_rate }) => success_rate), 0, 1, 0.5, 0.001];
  for (const sort of SORTS) {
    const order = picker.of(['asc', 'desc']);
    const size = 1 + picker.below(4);
    const min_success_rate = picker.maybe(picker.of(rates));
    const expected = rows
      .filter(({ success_rate }) => success_rate >= (min_success_rate ?? 0))
      .sort((a, b) => {
        const rise = a[sort] < b[sort] ? -1 : Number(a[sort] > b[sort]);
        return (order === 'desc' ? -rise : rise) || (a.name < b.name ? -1 : 1);
      })
      .map(({ name, usage_stats }) => ({ name, usage_stats }));
    const field = sort === 'name' ? sort : `usage_stats.${sort}`;
    const found: unknown[] = [];
    do {
      const query = { sort: field, order, size, from: found.length, min_success_rate };
      const { tools, pagination } = JSON.parse(await ask('/tools', query)).data;
      const before = found.length;
      for (const { name, usage_stats } of tools) found.push({ name, usage_stats });
      const has_more = found.length < expected.length;
      assert.deepEqual(pagination, { total: expected.length, size, from: before, has_more });
      assert.ok(found.length > before || !has_more);
    } while (found.length < expected.length);
    assert.deepEqual(found, expected, `list by ${field} ${order}`);
  }
}

async function compareDetail(ask: Ask, model: Model, tool: ModelTool): Promise<void> {
  const { usage_stats } = JSON.parse(await ask(`/tools/${tool.tool_id}`)).data;
  const recent_calls = tool.recent.map(({ timestamp, us, success }) => ({
    timestamp: wire(timestamp),
    execution_time_ms: us / 1000,
    success,
  }));
  const expected = { ...shownTotals(model, tool), recent_calls };
  assert.deepEqual(usage_stats, expected, `details of ${tool.name}`);
}

/** Conditions that some of the calls meet, and the query that asks for them. */
function pickFilter(calls: readonly ModelCall[], picker: Picker) {
  const success = picker.maybe(picker.below(3) > 0);
  const since = picker.maybe(picker.of(calls)?.timestamp);
  const until = picker.maybe(picker.of(calls)?.timestamp);
  const caller = picker.maybe(picker.of(calls)?.caller);
  return {
    query: {
      success,
      since: since && new Date(since).toISOString(),
      until: until && new Date(until).toISOString(),
      caller,
    },
    matches: (call: ModelCall) =>
      (success === undefined || call.success === success) &&
      (since === undefined || call.timestamp >= since) &&
      (until === undefined || call.timestamp < until) &&
      (caller === undefined || call.caller === caller),
  };
}

function shownCall({ tool, timestamp, us, success, error, caller, call_id, reporter }: ModelCall) {
  return {
    tool_id: tool.tool_id,
    timestamp: wire(timestamp),
    execution_time_ms: us / 1000,
    success,
    ...(error !== undefined && { error }),
    ...(caller !== undefined && { caller }),
    ...(call_id !== undefined && { call_id }),
    reporter,
  };
}

async function compareHistory(
  ask: Ask,
  model: Model,
  tool: ModelTool,
  picker: Picker,
): Promise<void> {
  const own = model.raw().filter((call) => call.tool === tool);
  for (const isFiltered of [false, true]) {
    const { query, matches } = isFiltered
      ? pickFilter(own, picker)
      : { query: {}, matches: () => true };
    const expected = own.filter(matches).sort(newestFirst).map(shownCall);
    const size = picker.of([1, 7, 100]) ?? 1;
    const from = picker.maybe(picker.below(expected.length + 2)) ?? 0;
    const text = await ask(`/tools/${tool.tool_id}/calls`, { ...query, size, from });
    const { calls, pagination } = JSON.parse(text).data;
    const page = expected.slice(from, from + size);
    assert.deepEqual(calls, page, `calls of ${tool.name} ${JSON.stringify(query)}`);
    const has_more = from + page.length < expected.length;
    assert.deepEqual(pagination, { total: expected.length, size, from, has_more });
  }
}

async function compareExport(ask: Ask, model: Model, picker: Picker): Promise<void> {
  const calls = model.raw().sort((a, b) => -newestFirst(a, b));
  for (const isFiltered of [false, true]) {
    const { query, matches } = isFiltered
      ? pickFilter(calls, picker)
      : { query: {}, matches: () => true };
    const lines = (await ask('/calls', query)).split('\n').slice(0, -1);
    const expected = calls.filter(matches).map(shownCall);
    assert.deepEqual(
      lines.map((line) => JSON.parse(line)),
      expected,
      `export ${JSON.stringify(query)}`,
    );
  }
}
