import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  addDuration,
  type DurationBuckets,
  decodeBuckets,
  encodeBuckets,
  mergeBuckets,
  percentiles,
} from '../../src/store/duration-buckets.ts';
import { roundDuration } from '../../src/store/usage-numbers.ts';

const LONGEST_MS = 86_400_000;
const SHARES = [0, 0.01, 0.25, 0.5, 0.9, 0.95, 0.99, 1];

/** Any duration that is taken, of every order of magnitude alike. */
const duration = fc
  .oneof(
    fc.constantFrom(0, 0.001, 0.002, 1, LONGEST_MS - 0.001, LONGEST_MS),
    fc.double({ min: 0, max: LONGEST_MS, noNaN: true }),
    fc.double({ min: -3, max: Math.log10(LONGEST_MS), noNaN: true }).map((log) => 10 ** log),
  )
  .map(roundDuration);
const durations = fc.array(duration, { minLength: 1, maxLength: 300 });

function bucketsOf(values: readonly number[]): DurationBuckets {
  const buckets: DurationBuckets = new Map();
  for (const value of values) addDuration(buckets, value);
  return buckets;
}

function sorted(buckets: DurationBuckets): [number, number][] {
  return [...buckets].sort(([a], [b]) => a - b);
}

/** Within 2 % of the exact value or a microsecond, if that is more. */
function assertClose(told: number | null | undefined, exact: number, about: string): void {
  const error = Math.abs((told ?? Number.NaN) - exact);
  assert.ok(error <= Math.max(0.02 * exact, 0.001), `${told} for ${exact}: ${about}`);
}

test('percentiles are within 2 % of those of the sorted durations', () => {
  fc.assert(
    fc.property(durations, (values) => {
      const exact = [...values].sort((a, b) => a - b);
      for (const [at, told] of percentiles(bucketsOf(values), SHARES).entries()) {
        const share = SHARES[at] ?? 0;
        const rank = Math.max(1, Math.ceil(share * exact.length));
        assertClose(told, exact[rank - 1] ?? Number.NaN, `share ${share} of ${exact.length}`);
      }
    }),
    { numRuns: 500 },
  );
});

test('a single duration of any size is told within 2 %', () => {
  for (let value = 0.002; value <= LONGEST_MS; value *= 1.0007) {
    const [told] = percentiles(bucketsOf([value]), [0.5]);
    assertClose(told, value, 'single');
  }
});

test('the ends of each bucket are told within 2 %', () => {
  const growth = 1.019 / 0.981;
  for (let index = -170; index < 470; index++) {
    for (const value of [growth ** index * (1 - 1e-9), growth ** index * (1 + 1e-9)]) {
      if (value < 0.002 || value > LONGEST_MS) continue;
      assertClose(percentiles(bucketsOf([value]), [0.5])[0], value, `near bucket ${index}`);
    }
  }
});

test('without durations there are no percentiles, and zero is zero', () => {
  assert.deepEqual(percentiles(new Map(), [0.5, 0.99]), [null, null]);
  assert.deepEqual(percentiles(bucketsOf([0, 0]), [0, 0.5, 1]), [0, 0, 0]);
});

test('merged in any order and split anywhere, the counts are the same', () => {
  fc.assert(
    fc.property(fc.array(durations, { minLength: 1, maxLength: 6 }), (parts) => {
      const forth: DurationBuckets = new Map();
      const back: DurationBuckets = new Map();
      for (const part of parts) mergeBuckets(forth, bucketsOf(part));
      for (const part of parts.toReversed()) mergeBuckets(back, bucketsOf(part));
      assert.deepEqual(sorted(forth), sorted(bucketsOf(parts.flat())));
      assert.deepEqual(sorted(forth), sorted(back));
    }),
    { numRuns: 100 },
  );
});

test('what is taken away again leaves no trace', () => {
  fc.assert(
    fc.property(durations, durations, (kept, taken) => {
      const buckets = bucketsOf([...kept, ...taken]);
      mergeBuckets(buckets, bucketsOf(taken), -1);
      assert.deepEqual(sorted(buckets), sorted(bucketsOf(kept)));
      mergeBuckets(buckets, bucketsOf(kept), -1);
      assert.equal(buckets.size, 0);
    }),
    { numRuns: 100 },
  );
});

test('what is decoded is what was encoded, also large counts, and adds up', () => {
  const entry = fc.tuple(fc.integer({ min: 0, max: 700 }), fc.integer({ min: 1, max: 2 ** 52 }));
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 50 }), (entries) => {
      const buckets = new Map(entries);
      assert.deepEqual(sorted(decodeBuckets(encodeBuckets(buckets))), sorted(buckets));
    }),
  );
  const once = bucketsOf([1, 5, 5, 900]);
  const twice = decodeBuckets(encodeBuckets(once), new Map(once));
  assert.deepEqual(sorted(twice), sorted(bucketsOf([1, 1, 5, 5, 5, 5, 900, 900])));
});

test('however many durations there are, a row has at most 2,100 bytes for them', () => {
  const buckets: DurationBuckets = new Map();
  for (let value = 0.001; value <= LONGEST_MS; value *= 1.001) addDuration(buckets, value);
  addDuration(buckets, 0);
  addDuration(buckets, LONGEST_MS);
  for (const [index] of buckets) buckets.set(index, 10_000);
  assert.ok(buckets.size < 700, `${buckets.size} buckets`);
  assert.ok(encodeBuckets(buckets).length <= 2_100, `${encodeBuckets(buckets).length} bytes`);
});
