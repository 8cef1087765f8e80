/** A set of small numbers, a bit each. All sets of one operation have the same length. */
export type Bits = Uint32Array;

export function emptyBits(count: number): Bits {
  return new Uint32Array(Math.ceil(count / 32));
}

export function hasBit(bits: Bits, at: number): boolean {
  return ((bits[at >>> 5] as number) & (1 << (at & 31))) !== 0;
}

export function setBit(bits: Bits, at: number): void {
  bits[at >>> 5] = (bits[at >>> 5] as number) | (1 << (at & 31));
}

export function clearBit(bits: Bits, at: number): void {
  bits[at >>> 5] = (bits[at >>> 5] as number) & ~(1 << (at & 31));
}

/** Keeps in `bits` what is also in `other`. */
export function keepBits(bits: Bits, other: Bits): void {
  for (let at = 0; at < bits.length; at += 1) {
    bits[at] = (bits[at] as number) & (other[at] as number);
  }
}

/** Takes out of `bits` what is in `other`. */
export function dropBits(bits: Bits, other: Bits): void {
  for (let at = 0; at < bits.length; at += 1) {
    bits[at] = (bits[at] as number) & ~(other[at] as number);
  }
}

/** Adds to `bits` what is in `other`. */
export function addBits(bits: Bits, other: Bits): void {
  for (let at = 0; at < bits.length; at += 1) {
    bits[at] = (bits[at] as number) | (other[at] as number);
  }
}

export function countBits(bits: Bits): number {
  let count = 0;
  for (let at = 0; at < bits.length; at += 1) {
    let word = bits[at] as number;
    word -= (word >>> 1) & 0x55555555;
    word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
    count += Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return count;
}

/** Calls `visit` with each number of the set, ascending. */
export function forEachBit(bits: Bits, visit: (at: number) => void): void {
  for (let index = 0; index < bits.length; index += 1) {
    for (let word = bits[index] as number; word !== 0; word &= word - 1) {
      visit(index * 32 + 31 - Math.clz32(word & -word));
    }
  }
}
