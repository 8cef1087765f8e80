/**
 * Durations counted in buckets of a logarithmic scale, as in DDSketch (Masson et al., 2019): each
 * bucket reaches from `GROWTH` to the power i - 1 up to the power i, so that any percentile is told
 * within 2 %. Buckets are fixed: sums of any hours are exact sums of their counts.
 */
export type DurationBuckets = Map<number, number>;

/** Below 2 %, since what is told is rounded to four digits. */
const RELATIVE_ERROR = 0.019;
const GROWTH = (1 + RELATIVE_ERROR) / (1 - RELATIVE_ERROR);
const LOG_GROWTH = Math.log(GROWTH);
/** Shorter durations, zero included, count as this one. */
const SHORTEST_MS = 0.001;
/** Makes the index of the shortest duration 0. */
const OFFSET = Math.ceil(Math.log(SHORTEST_MS) / LOG_GROWTH);

export function addDuration(buckets: DurationBuckets, ms: number): void {
  const index = Math.ceil(Math.log(Math.max(ms, SHORTEST_MS)) / LOG_GROWTH) - OFFSET;
  buckets.set(index, (buckets.get(index) ?? 0) + 1);
}

/** Adds `count` (negative to take away) for each of the `added` buckets. */
export function mergeBuckets(buckets: DurationBuckets, added: DurationBuckets, sign = 1): void {
  for (const [index, count] of added) {
    const sum = (buckets.get(index) ?? 0) + sign * count;
    if (sum > 0) buckets.set(index, sum);
    else buckets.delete(index);
  }
}

/** Milliseconds below which the given shares (0 to 1) of the durations lie; null without any. */
export function percentiles(
  buckets: DurationBuckets,
  shares: readonly number[],
): (number | null)[] {
  const sorted = [...buckets].sort(([a], [b]) => a - b);
  const total = sorted.reduce((sum, [, count]) => sum + count, 0);
  return shares.map((share) => {
    // The nearest rank: the smallest duration that has at least this share at or below it.
    let left = Math.max(1, Math.ceil(share * total));
    for (const [index, count] of sorted) {
      left -= count;
      if (left <= 0) return durationOf(index);
    }
    return null;
  });
}

/** The value with equal relative distance to both ends of the bucket, with four digits. */
function durationOf(index: number): number {
  if (index === 0) return 0;
  return Number(((2 * GROWTH ** (index + OFFSET)) / (GROWTH + 1)).toPrecision(4));
}

/** Pairs of unsigned LEB128 numbers in rising order: the distance to the last index, the count. */
export function encodeBuckets(buckets: DurationBuckets): Buffer {
  const bytes: number[] = [];
  let last = 0;
  for (const [index, count] of [...buckets].sort(([a], [b]) => a - b)) {
    pushNumber(bytes, index - last);
    pushNumber(bytes, count);
    last = index;
  }
  return Buffer.from(bytes);
}

/** Adds the counts of encoded buckets to `buckets`. */
export function decodeBuckets(
  bytes: Uint8Array,
  buckets: DurationBuckets = new Map(),
): DurationBuckets {
  let at = 0;
  let index = 0;
  const next = () => {
    let value = 0;
    let factor = 1;
    for (;;) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
      factor *= 0x80;
    }
  };
  while (at < bytes.length) {
    index += next();
    buckets.set(index, (buckets.get(index) ?? 0) + next());
  }
  return buckets;
}

function pushNumber(bytes: number[], value: number): void {
  let left = value;
  while (left >= 0x80) {
    bytes.push((left % 0x80) | 0x80);
    left = Math.floor(left / 0x80);
  }
  bytes.push(left);
}
