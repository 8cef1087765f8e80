/** Seeded random numbers: the same seed gives the same run. */
export interface Random {
  /** 0 ≤ x < 1 */
  next(): number;
  /** A whole number, 0 ≤ x < limit. */
  int(limit: number): number;
  pick<Item>(items: readonly Item[]): Item;
  /** Normally distributed around 0 with deviation 1. */
  normal(): number;
}

/** Mulberry32: 32 bits of state, good enough to spread a benchmark. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;

  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  }

  const int = (limit: number) => Math.floor(next() * limit);

  return {
    next,
    int,
    pick<Item>(items: readonly Item[]): Item {
      if (items.length === 0) throw new Error('nothing to pick from');
      return items[int(items.length)] as Item;
    },
    // Box and Muller; 1 - next() is never 0.
    normal: () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
  };
}
