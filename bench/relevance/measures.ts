import type { JudgedQuery } from './sets.ts';

/** How well an engine answers a set; times in milliseconds. */
export interface Measures {
  ndcg10: number;
  recall1: number;
  recall5: number;
  recall10: number;
  mrr: number;
  /** The part of the queries that find nothing. */
  empty: number;
  p50: number;
  p95: number;
}

/** One query's answer: the names of tools in their order, and how long it took. */
export interface Answer {
  query: JudgedQuery;
  names: string[];
  ms: number;
}

/** Gain is linear in the grade; the ideal order counts tools beyond the tenth not at all. */
export function ndcgAt10({ query: { grades }, names }: Answer): number {
  const gain = (list: number[]) =>
    list.slice(0, 10).reduce((sum, grade, rank) => sum + grade / Math.log2(rank + 2), 0);
  const ideal = gain([...grades.values()].sort((a, b) => b - a));
  return ideal === 0 ? 0 : gain(names.map((name) => grades.get(name) ?? 0)) / ideal;
}

export function measure(answers: readonly Answer[]): Measures {
  const mean = (value: (answer: Answer) => number) =>
    answers.reduce((sum, answer) => sum + value(answer), 0) / Math.max(1, answers.length);
  const recall = (depth: number) =>
    mean(({ query: { grades }, names }) => {
      const found = names.slice(0, depth).filter((name) => grades.has(name));
      return found.length / Math.max(1, grades.size);
    });
  const times = answers.map(({ ms }) => ms).sort((a, b) => a - b);
  const quantile = (part: number) =>
    times[Math.min(times.length - 1, Math.floor(part * times.length))] ?? 0;
  return {
    ndcg10: mean(ndcgAt10),
    recall1: recall(1),
    recall5: recall(5),
    recall10: recall(10),
    mrr: mean(({ query: { grades }, names }) => {
      const rank = names.findIndex((name) => grades.has(name));
      return rank < 0 ? 0 : 1 / (rank + 1);
    }),
    empty: mean(({ names }) => (names.length === 0 ? 1 : 0)),
    p50: quantile(0.5),
    p95: quantile(0.95),
  };
}

/** The mean of each measure over sets of whatever size. */
export function meanOf(sets: readonly Measures[]): Measures {
  const entries = Object.keys(sets[0] ?? measure([])).map((key) => {
    const values = sets.map((each) => each[key as keyof Measures]);
    return [key, values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)];
  });
  return Object.fromEntries(entries);
}
