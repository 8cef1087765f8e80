import { type Bits, hasBit } from './bits.ts';

const SCALE_BYTES = 4;
const LARGEST = 127;

/** The direction of a vector in a byte for each dimension, behind the float that scales them. */
export function encodeVector(values: readonly number[]): Uint8Array {
  const length = Math.hypot(...values);
  if (!(length > 0) || !Number.isFinite(length)) throw new Error('a vector without a direction');
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const bytes = new Uint8Array(SCALE_BYTES + values.length);
  new DataView(bytes.buffer).setFloat32(0, largest / LARGEST / length, true);
  const scaled = new Int8Array(bytes.buffer, SCALE_BYTES);
  for (const [at, value] of values.entries()) scaled[at] = Math.round((value / largest) * LARGEST);
  return bytes;
}

/** A slot and how near it is, -1 to 1. */
export interface Near {
  slot: number;
  nearness: number;
}

export type VectorIndex = ReturnType<typeof createVectorIndex>;

/** The vectors of slots, gone through one by one. */
export function createVectorIndex() {
  const vectors = new Map<number, { scale: number; values: Int8Array }>();
  const lengths = new Set<number>();

  return {
    /** Adds what `encodeVector` gave. */
    add(slot: number, bytes: Uint8Array): void {
      vectors.set(slot, decode(bytes));
      lengths.add(bytes.length);
    },

    /** Whether any vector has the length of this one. */
    isComparable: (encoded: Uint8Array): boolean => lengths.has(encoded.length),

    /** The nearest slots of `among`, the nearest first; vectors of another length are passed over. */
    nearest(encoded: Uint8Array, among: Bits, count: number): Near[] {
      const { scale, values } = decode(encoded);
      const kept: Near[] = [];
      let least = Number.NEGATIVE_INFINITY;
      for (const [slot, vector] of vectors) {
        if (!hasBit(among, slot) || vector.values.length !== values.length) continue;
        const nearness = scale * vector.scale * dot(values, vector.values);
        if (nearness < least) continue;
        kept.push({ slot, nearness });
        if (kept.length < 2 * count) continue;
        kept.sort(byNearness).length = count;
        least = kept[count - 1]?.nearness ?? least;
      }
      return kept.sort(byNearness).slice(0, count);
    },
  };
}

function byNearness(one: Near, other: Near): number {
  return other.nearness - one.nearness || one.slot - other.slot;
}

function decode(bytes: Uint8Array): { scale: number; values: Int8Array } {
  const scale = new DataView(bytes.buffer, bytes.byteOffset).getFloat32(0, true);
  const values = new Int8Array(bytes.length - SCALE_BYTES);
  // Above 127 it wraps round to the sign it had.
  values.set(bytes.subarray(SCALE_BYTES));
  return { scale, values };
}

function dot(one: Int8Array, other: Int8Array): number {
  let sum = 0;
  for (let at = 0; at < one.length; at += 1) sum += (one[at] as number) * (other[at] as number);
  return sum;
}
