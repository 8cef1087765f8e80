import assert from 'node:assert/strict';
import { DAY, type Model, type ModelCall, type ModelTool, numbersOf } from './model.ts';
import { type Ask, type Picker, wire } from './picker.ts';
import type { Series, SeriesNumbers } from './report-calls.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const LENGTH = { minute: MINUTE, hour: HOUR, day: DAY } as const;
type Interval = keyof typeof LENGTH;
const INTERVALS = ['minute', 'hour', 'day'] as const;
/** Intervals that are shown by default, and at most asked for here: few, for speed. */
const SHOWN = { minute: [60, 240], hour: [24, 240], day: [30, 480] } as const;

interface Period {
  since: number;
  until: number;
}

const within = ({ since, until }: Period) => {
  return ({ timestamp }: ModelCall) => timestamp >= since && timestamp < until;
};

/** A period about some of the calls, the query that asks for it, and its whole intervals. */
function pickPeriod(
  interval: Interval,
  calls: readonly ModelCall[],
  now: number,
  picker: Picker,
): { query: { since: string | undefined; until: string | undefined }; period: Period } {
  const step = LENGTH[interval];
  const [shown, most] = SHOWN[interval];
  const end = picker.maybe((picker.of(calls)?.timestamp ?? now) + picker.below(3 * step));
  const until = Math.ceil((end ?? now + 1) / step) * step;
  const start = picker.maybe((end ?? now) - picker.below(most * step - step));
  const since = start === undefined ? until - shown * step : Math.floor(start / step) * step;
  const isEmpty = since >= until;
  return {
    query: {
      since: isEmpty || start === undefined ? undefined : new Date(start).toISOString(),
      until: end === undefined ? undefined : new Date(end).toISOString(),
    },
    period: { since: isEmpty ? until - shown * step : since, until },
  };
}

/** Compares what a tool's calls were over time, or with `undefined` all calls'. */
export async function compareSeries(
  ask: Ask,
  model: Model,
  tool: ModelTool | undefined,
  now: number,
  picker: Picker,
): Promise<void> {
  const own = model.calls().filter((call) => tool === undefined || call.tool === tool);
  for (const interval of INTERVALS) {
    const { query, period } = pickPeriod(interval, own, now, picker);
    const path = tool === undefined ? '/usage' : `/tools/${tool.tool_id}/usage`;
    const { data } = JSON.parse(await ask(path, { interval, ...query }));
    assertSeries(data, interval, own, period, `${path} ${interval} ${JSON.stringify(query)}`);
  }
}

function assertSeries(
  data: Series,
  interval: Interval,
  calls: readonly ModelCall[],
  period: Period,
  what: string,
): void {
  const isKept = (call: ModelCall) =>
    interval === 'day' || (interval === 'hour' ? call.isInHours : call.isRaw);
  const kept = calls.filter(isKept).filter(within(period));
  assert.deepEqual(
    [data.interval, data.since, data.until],
    [interval, wire(period.since), wire(period.until)],
    what,
  );
  assertNumbers(data.totals, kept, 10, `${what} totals`);
  const step = LENGTH[interval];
  assert.equal(data.buckets.length, (period.until - period.since) / step, what);
  const byStart = Map.groupBy(kept, ({ timestamp }) => Math.floor(timestamp / step) * step);
  for (const [index, bucket] of data.buckets.entries()) {
    const start = period.since + index * step;
    assert.equal(bucket.start, wire(start), what);
    assertNumbers(bucket, byStart.get(start) ?? [], 3, `${what} ${bucket.start}`);
  }
}

function assertNumbers(
  shown: SeriesNumbers,
  calls: readonly ModelCall[],
  errorsShown: number,
  what: string,
): void {
  const { us: _, ...expected } = numbersOf(calls);
  const { calls: count, successes, success_rate, avg_execution_time_ms } = shown;
  assert.deepEqual(
    { calls: count, successes, success_rate, avg_execution_time_ms },
    expected,
    what,
  );
  const sorted = calls.map(({ us }) => us / 1000).sort((a, b) => a - b);
  for (const percent of [50, 95, 99] as const) {
    const value = shown[`p${percent}_execution_time_ms`];
    const exact = sorted[Math.ceil((percent * sorted.length) / 100) - 1] ?? null;
    if (value === null || exact === null) assert.equal(value, exact, what);
    // What is shorter than a microsecond counts as nothing, and the other way round.
    else if (exact <= 0.001) assert.equal(value, 0, what);
    else
      assert.ok(Math.abs(value - exact) <= 0.02 * exact, `${what} p${percent} ${exact} ${value}`);
  }
  const errors = Map.groupBy(
    // Errors are counted by the hour, also those of days.
    calls.filter(({ error, isInHours }) => error !== undefined && isInHours),
    ({ error }) => error ?? '',
  );
  const commonest = [...errors]
    .map(([error, { length }]) => ({ error, calls: length }))
    .sort((a, b) => b.calls - a.calls || (a.error < b.error ? -1 : 1));
  assert.deepEqual(shown.errors, commonest.slice(0, errorsShown), what);
}

const GROUPS = {
  tool: ({ tool }: ModelCall) => `${tool.name} ${tool.tool_id}`,
  caller: ({ caller }: ModelCall) => caller,
  server: ({ tool }: ModelCall) => tool.server,
  category: ({ tool }: ModelCall) => tool.category,
} as const;

/** Compares the catalogue's series, its lists of tools and its groups. */
export async function compareCatalogue(
  ask: Ask,
  model: Model,
  now: number,
  picker: Picker,
): Promise<void> {
  await compareSeries(ask, model, undefined, now, picker);
  for (const [group_by, keyOf] of Object.entries(GROUPS)) {
    const interval = picker.of(INTERVALS) ?? 'hour';
    const { query, period } = pickPeriod(interval, model.calls(), now, picker);
    const size = picker.of([1, 3, 100]) ?? 1;
    const what = `${group_by} ${interval} ${JSON.stringify(query)}`;
    const { data } = JSON.parse(await ask('/usage', { interval, group_by, size, ...query }));
    const counted = keptInGroups(model.calls(), period);
    assertGroups(data.groups, counted, keyOf, size, what);
    assert.equal(data.groups_total, groupsOf(counted, keyOf).length, what);
    assertGroups(data.most_used.map(keyed), counted, GROUPS.tool, size, `most used, ${what}`);
    assert.deepEqual(data.failing, failing(model, now).slice(0, size), what);
    const never = model.living().filter((tool) => model.totals(tool).calls === 0);
    const tools = never
      .map(({ tool_id, name }) => ({ tool_id, name }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    assert.deepEqual(data.never_used, { tools: tools.slice(0, size), total: tools.length }, what);
  }
}

/** Whole days are summed by days, which are kept for ever; the hours at the ends are not. */
function keptInGroups(calls: readonly ModelCall[], { since, until }: Period): ModelCall[] {
  const hours = { since: Math.floor(since / HOUR) * HOUR, until: Math.ceil(until / HOUR) * HOUR };
  return calls.filter(within(hours)).filter(({ timestamp, isInHours }) => {
    const day = Math.floor(timestamp / DAY) * DAY;
    return isInHours || (day >= hours.since && day + DAY <= hours.until);
  });
}

interface ShownGroup {
  key: string;
  tool_id?: string;
  calls: number;
}

const keyed = ({ name, ...rest }: { name: string; calls: number }): ShownGroup => ({
  key: name,
  ...rest,
});

function groupsOf(calls: readonly ModelCall[], keyOf: (call: ModelCall) => string | undefined) {
  const groups = Map.groupBy(calls, keyOf);
  return [...groups].flatMap(([key, own]) => {
    if (key === undefined) return [];
    const { us: _, ...sums } = numbersOf(own);
    const [name = '', tool_id] = keyOf === GROUPS.tool ? key.split(' ') : [key];
    return [{ key: name, ...(tool_id !== undefined && { tool_id }), ...sums }];
  });
}

const mostCallsFirst = (a: ShownGroup, b: ShownGroup) =>
  b.calls - a.calls || (a.key < b.key ? -1 : Number(a.key > b.key));

/** Of removed tools of one name with as many calls any may come first. */
function assertGroups(
  shown: ShownGroup[],
  calls: readonly ModelCall[],
  keyOf: (call: ModelCall) => string | undefined,
  size: number,
  what: string,
): void {
  const groups = groupsOf(calls, keyOf).sort(mostCallsFirst);
  const order = ({ key, calls }: ShownGroup) => ({ key, calls });
  assert.deepEqual(shown.map(order), groups.slice(0, size).map(order), what);
  const own = (one: ShownGroup) => groups.find((each) => sameGroup(each, one));
  assert.deepEqual(shown, shown.map(own), what);
  assert.equal(new Set(shown.map(own)).size, shown.length, what);
}

function sameGroup(a: ShownGroup, b: ShownGroup): boolean {
  return a.key === b.key && a.tool_id === b.tool_id;
}

function failing(model: Model, now: number) {
  const week = { since: Math.floor((now - 7 * DAY) / HOUR) * HOUR, until: now + 1 };
  const calls = keptInGroups(model.calls(), week).filter(({ tool }) => !tool.isRemoved);
  return groupsOf(calls, GROUPS.tool)
    .filter(({ calls, successes }) => calls >= 20 && successes < calls)
    .sort((a, b) => a.successes * b.calls - b.successes * a.calls || mostCallsFirst(a, b))
    .map(({ key, tool_id, ...sums }) => ({ tool_id, name: key, ...sums }));
}
