import fc from 'fast-check';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long before now, the limits of what is taken among them. */
const age = fc.oneof(
  { weight: 4, arbitrary: fc.nat(3 * MINUTE) },
  { weight: 4, arbitrary: fc.nat(5 * HOUR) },
  { weight: 3, arbitrary: fc.nat(30 * DAY) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(0, 30 * DAY, 30 * DAY + 1, 40 * DAY, 1 - 5 * MINUTE, -5 * MINUTE),
  },
);

/** Milliseconds with up to six decimals, over all magnitudes. */
const duration = fc
  .oneof(
    { weight: 6, arbitrary: fc.tuple(fc.nat(1_000_000), fc.nat(7)) },
    { weight: 1, arbitrary: fc.constantFrom([0, 0] as const, [864, 11] as const, [1, 9] as const) },
  )
  .map(([digits, exponent]) => Math.min(digits * 10 ** exponent, 86_400_000 * 1e6) / 1e6);

/** Absent every second time. */
const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined, freq: 2 });

const call = fc.record({
  age,
  /** Down to the whole hour: the edge of an interval. */
  isWhole: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
  stamp: fc.constantFrom('none' as const, 'utc' as const, 'offset' as const, 'nanos' as const),
  ms: duration,
  success: fc.integer({ min: 0, max: 3 }).map((n) => n > 0),
  error: maybe(fc.nat(11).map((n) => `error ${n}`)),
  caller: maybe(fc.nat(3).map((n) => `caller ${n}`)),
  call_id: maybe(fc.nat(40).map((n) => `id-${n}`)),
});
export type CallPlan = typeof call extends fc.Arbitrary<infer Value> ? Value : never;

const which = fc.nat(7);
const reporter = fc.nat(1);

const bulk = fc.record({
  kind: fc.constant('bulk' as const),
  reporter,
  format: fc.constantFrom('json' as const, 'lines' as const),
  calls: fc.array(
    fc.record({ tool: which, by: fc.constantFrom('tool_id' as const, 'name' as const), call }),
    {
      minLength: 1,
      maxLength: 40,
    },
  ),
});
export type BulkPlan = typeof bulk extends fc.Arbitrary<infer Value> ? Value : never;

function kind<Kind extends string, Fields extends object>(
  weight: number,
  name: Kind,
  fields: { [K in keyof Fields]: fc.Arbitrary<Fields[K]> },
) {
  const arbitrary = fc.record({ kind: fc.constant(name), ...fields });
  return { weight, arbitrary: arbitrary as unknown as fc.Arbitrary<{ kind: Kind } & Fields> };
}

/** One thing that happens to a store. Numbers name one of the tools there are at that moment. */
export const step = fc.oneof(
  kind(40, 'register', { name: fc.nat(4), category: fc.nat(2), server: fc.nat(2) }),
  kind(60, 'record', {
    reporter,
    tool: which,
    calls: fc.array(call, { minLength: 1, maxLength: 4 }),
  }),
  { weight: 60, arbitrary: bulk },
  // Reports that arrive together share a transaction.
  kind(20, 'together', { reports: fc.array(bulk, { minLength: 2, maxLength: 4 }) }),
  // More calls than one step of a report, of the retention or of voiding takes.
  kind(2, 'burst', { tool: which, count: fc.integer({ min: 1_001, max: 2_100 }), call }),
  kind(20, 'update', {
    tool: which,
    change: fc.oneof(
      fc.record({ name: fc.nat(4) }),
      fc.record({ category: fc.nat(2) }),
      fc.record({ server: fc.integer({ min: 1, max: 2 }) }),
    ),
  }),
  kind(10, 'remove', { tool: which }),
  kind(30, 'wait', {
    ms: fc.oneof(
      fc.nat(3 * HOUR),
      fc.nat(20 * DAY),
      fc.constantFrom(HOUR, DAY, 30 * DAY, 31 * DAY, 400 * DAY),
    ),
  }),
  kind(20, 'expire', {}),
  kind(20, 'void', {
    reporter,
    since: fc.oneof(age, fc.constant(60 * DAY)),
    until: fc.oneof(age, fc.constant(-10 * MINUTE)),
  }),
  kind(7, 'baseline', {
    name: fc.nat(4),
    total_calls: fc.nat(2_000),
    success_rate: fc.nat(1_000).map((n) => n / 1_000),
    avg_execution_time_ms: fc.nat(500_000).map((n) => n / 100),
    recent: fc.array(fc.record({ age: fc.nat(60 * DAY), us: fc.nat(9_999_999) }), {
      maxLength: 12,
    }),
  }),
  kind(3, 'move', {}),
  kind(4, 'restart', {}),
  kind(20, 'look', { picks: fc.nat() }),
);
export type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;
