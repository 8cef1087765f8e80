import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureOf } from '../http/failure.ts';
import {
  call,
  DAY_MS,
  HOUR_MS,
  iso,
  MINUTE_MS,
  type Series,
  startUsageApp,
} from './report-calls.ts';

const STEPS = { minute: MINUTE_MS, hour: HOUR_MS, day: DAY_MS } as const;

/** UTC with whole seconds, as answers show it. */
function shown(ms: number): string {
  return `${iso(ms).slice(0, 19)}Z`;
}

test('series', async (t) => {
  const { newTool, record, data, get, store } = await startUsageApp(t);
  // A whole day that lies behind us, whatever time it is now.
  const day = Math.floor(Date.now() / DAY_MS) * DAY_MS - 2 * DAY_MS;

  const seriesOf = (tool_id: string, query: string) =>
    data<Series>(`/tools/${tool_id}/usage?${query}`);

  async function reasonOf(query: string, path = '/usage') {
    return failureOf(await get(`${path}?${query}`), 'ValidationError').details;
  }

  await t.test(
    'a bucket has every call from its start up to the next one, and no other',
    async () => {
      const { tool_id } = await newTool();
      for (const [interval, step] of Object.entries(STEPS)) {
        const { tool_id: own } = await newTool();
        const start = day + 13 * step - (interval === 'day' ? 20 * step : 0);
        const moments = [start - 1, start, start + step - 1, start + step];
        await record(
          own,
          moments.map((ms) => call({ timestamp: iso(ms) })),
        );
        const query = `interval=${interval}&since=${shown(start - step)}&until=${shown(start + 2 * step)}`;
        const { buckets, totals } = await seriesOf(own, query);
        assert.deepEqual(
          buckets.map((bucket) => [bucket.start, bucket.calls]),
          [
            [shown(start - step), 1],
            [shown(start), 2],
            [shown(start + step), 1],
          ],
          interval,
        );
        assert.equal(totals.calls, 4);
      }
      assert.equal((await seriesOf(tool_id, 'interval=day')).totals.calls, 0);
    },
  );

  await t.test(
    'a period is taken outwards to whole intervals, and what it ends with is not in it',
    async () => {
      const { tool_id } = await newTool();
      await record(tool_id, [
        call({ timestamp: iso(day) }),
        call({ timestamp: iso(day + HOUR_MS) }),
      ]);
      for (const [since, until, buckets, calls] of [
        [day, day + HOUR_MS, 1, 1],
        [day + 1_000, day + HOUR_MS - 1_000, 1, 1],
        [day - 1_000, day + HOUR_MS + 1_000, 3, 2],
        [day + HOUR_MS, day + HOUR_MS + 1_000, 1, 1],
        [day - HOUR_MS, day, 1, 0],
      ] as const) {
        const query = `interval=hour&since=${iso(since)}&until=${iso(until)}`;
        const series = await seriesOf(tool_id, query);
        assert.deepEqual([series.buckets.length, series.totals.calls], [buckets, calls], query);
      }
    },
  );

  await t.test(
    'intervals are those of UTC, whatever the offset of the query and the zone of the server',
    async () => {
      const zone = process.env['TZ'];
      t.after(() => {
        if (zone === undefined) delete process.env['TZ'];
        else process.env['TZ'] = zone;
      });
      for (const name of ['UTC', 'America/New_York', 'Australia/Lord_Howe']) {
        process.env['TZ'] = name;
        // Days around both changes of the clocks of a year.
        const query = `interval=day&since=2026-03-01T00:00:00%2B05:30&until=2026-11-30T23:00:00-11:00`;
        const { since, until, buckets } = await data<Series>(`/usage?${query}`);
        assert.deepEqual([since, until], ['2026-02-28T00:00:00Z', '2026-12-02T00:00:00Z']);
        assert.equal(buckets.length, 277);
        for (const { start } of buckets) assert.match(start, /T00:00:00Z$/);
      }
    },
  );

  await t.test(
    'a series is dense: every interval in order, empty ones with zeros and nulls',
    async () => {
      const { tool_id } = await newTool();
      await record(tool_id, [call({ timestamp: iso(day + 5 * HOUR_MS) })]);
      const { buckets } = await seriesOf(
        tool_id,
        `interval=hour&since=${shown(day)}&until=${shown(day + DAY_MS)}`,
      );
      assert.deepEqual(
        buckets.map(({ start }) => start),
        Array.from({ length: 24 }, (_, hour) => shown(day + hour * HOUR_MS)),
      );
      assert.deepEqual(buckets[0], {
        start: shown(day),
        calls: 0,
        successes: 0,
        success_rate: 0,
        avg_execution_time_ms: 0,
        p50_execution_time_ms: null,
        p95_execution_time_ms: null,
        p99_execution_time_ms: null,
        errors: [],
      });
    },
  );

  await t.test('minutes, hours and days tell the same sums, percentiles and errors', async () => {
    const { tool_id } = await newTool();
    await record(
      tool_id,
      Array.from({ length: 300 }, (_, at) =>
        call({
          timestamp: iso(day + at * 17_321),
          execution_time_ms: (at + 1) * 1.001,
          success: at % 3 > 0,
          ...(at % 3 === 0 && { error: `fault ${at % 4}` }),
        }),
      ),
    );
    const answers = await Promise.all(
      Object.keys(STEPS).map((interval) =>
        seriesOf(tool_id, `interval=${interval}&since=${shown(day)}&until=${shown(day + DAY_MS)}`),
      ),
    );
    const [minutes, hours, days] = answers.map(({ totals }) => totals);
    assert.deepEqual(minutes, hours);
    assert.deepEqual(hours, days);
    assert.deepEqual([days?.calls, days?.successes, days?.success_rate], [300, 200, 0.667]);
    assert.equal(days?.avg_execution_time_ms, 150.65);
    const { p50_execution_time_ms: p50, p99_execution_time_ms: p99 } = days;
    assert.ok(
      Math.abs((p50 ?? 0) / 150.15 - 1) <= 0.02 && Math.abs((p99 ?? 0) / 297.3 - 1) <= 0.02,
    );
    assert.deepEqual(days.errors, [
      { error: 'fault 0', calls: 25 },
      { error: 'fault 1', calls: 25 },
      { error: 'fault 2', calls: 25 },
      { error: 'fault 3', calls: 25 },
    ]);
    for (const { buckets, totals } of answers) {
      const sum = buckets.reduce((calls, bucket) => calls + bucket.calls, 0);
      assert.equal(sum, totals.calls);
    }
  });

  await t.test(
    'of an hour 100 different errors are told apart, the others are counted as one',
    async () => {
      const { tool_id } = await newTool();
      await record(
        tool_id,
        Array.from({ length: 1_000 }, (_, at) =>
          call({ success: false, error: `fault of day ${at}`, timestamp: iso(day) }),
        ),
      );
      const { totals } = await seriesOf(
        tool_id,
        `interval=hour&since=${iso(day)}&until=${iso(day + 1)}`,
      );
      assert.equal(totals.errors.length, 10);
      assert.deepEqual(totals.errors[0], { error: '(other)', calls: 900 });
    },
  );

  await t.test(
    'limits: 1,440 minutes, 4,000 hours or days, since before until, days that exist',
    async () => {
      for (const [interval, max] of [
        ['minute', 1_440],
        ['hour', 4_000],
        ['day', 4_000],
      ] as const) {
        const until = day + DAY_MS;
        const most = shown(until - max * STEPS[interval]);
        const { buckets } = await data<Series>(
          `/usage?interval=${interval}&since=${most}&until=${shown(until)}`,
        );
        assert.equal(buckets.length, max);
        const more = shown(until - max * STEPS[interval] - 1_000);
        const { field, reason } = await reasonOf(
          `interval=${interval}&since=${more}&until=${shown(until)}`,
        );
        assert.equal(field, 'since');
        assert.match(reason ?? '', new RegExp(`at most ${max} intervals`));
      }
      assert.equal((await reasonOf(`since=${shown(day)}&until=${shown(day)}`)).field, 'since');
      assert.equal((await reasonOf('since=2026-02-29T00:00:00Z')).field, 'since');
      assert.equal((await reasonOf('until=2026-04-31T00:00:00Z')).field, 'until');
      assert.equal((await reasonOf('interval=week')).field, 'interval');
      assert.equal((await reasonOf('interval=hour&interval=day')).field, 'interval');
      assert.equal((await reasonOf('since=yesterday')).field, 'since');
      assert.equal((await reasonOf('size=0')).field, 'size');
      assert.equal((await reasonOf('group_by=reporter')).field, 'group_by');
    },
  );

  await t.test(
    'the first and the last year that a time can have are no fault of the server',
    async () => {
      for (const query of [
        'interval=day&until=9999-12-31T23:59:59Z&since=9999-12-01T00:00:00Z',
        'interval=day&until=9999-12-31T23:59:59-23:59&since=9999-12-30T00:00:00Z',
        'interval=hour&since=0000-01-01T00:00:00Z&until=0000-01-02T00:00:00Z',
        'interval=day&since=0000-01-01T00:00:00%2B23:59&until=0000-01-02T00:00:00Z',
        'interval=day&until=0000-01-02T00:00:00Z',
        'interval=minute&since=1969-12-31T23:59:59Z&until=1970-01-01T00:00:01Z',
      ]) {
        const answer = await get(`/usage?${query}`);
        if (answer.statusCode === 400) {
          failureOf(answer, 'ValidationError');
          continue;
        }
        assert.equal(answer.statusCode, 200, query);
        const { since, until, buckets } = answer.json().data as Series;
        for (const time of [since, until, ...buckets.map(({ start }) => start)]) {
          assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:00Z$/, query);
        }
      }
    },
  );

  await t.test('hours and days tell of calls whose raw form is gone, minutes do not', async () => {
    const { tool_id } = await newTool();
    const old = day - 20 * DAY_MS;
    await record(tool_id, [call({ timestamp: iso(old) }), call({ timestamp: iso(day) })]);
    const later = day + 25 * DAY_MS;
    while (await store.calls.expireSome(later));
    const until = shown(old + HOUR_MS);
    for (const [interval, calls] of [
      ['minute', 0],
      ['hour', 1],
      ['day', 1],
    ] as const) {
      const { totals } = await seriesOf(
        tool_id,
        `interval=${interval}&since=${shown(old)}&until=${until}`,
      );
      assert.equal(totals.calls, calls, interval);
    }
    const { calls } = await data<{ calls: object[] }>(`/tools/${tool_id}/calls`);
    assert.equal(calls.length, 1);
    while (await store.calls.expireSome(old + 402 * DAY_MS));
    const hours = await seriesOf(tool_id, `interval=hour&since=${shown(old)}&until=${until}`);
    const days = await seriesOf(tool_id, `interval=day&since=${shown(old)}&until=${until}`);
    assert.deepEqual([hours.totals.calls, days.totals.calls], [0, 1]);
  });
});
