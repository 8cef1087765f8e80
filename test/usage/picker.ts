/** Chooses filters, pages and periods: the same ones for the same number. */
export function createPicker(seed: number) {
  let state = seed >>> 0;
  /** 0 to `limit` - 1 */
  function below(limit: number): number {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  }
  return {
    below,
    of: <Value>(values: readonly Value[]): Value | undefined => values[below(values.length)],
    maybe: <Value>(value: Value): Value | undefined => (below(2) === 0 ? undefined : value),
  };
}
export type Picker = ReturnType<typeof createPicker>;

export type Query = Record<string, string | number | boolean | undefined>;
export type Ask = (path: string, query?: Query) => Promise<string>;

/** A time as answers show it. */
export function wire(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}
