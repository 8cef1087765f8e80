import { createRandom } from '../random.ts';

const SAMPLES = 2_000;

/** The mean of paired differences, and between which bounds it lies in 95 % of resampled sets. */
export function bootstrap(differences: readonly number[]): {
  mean: number;
  low: number;
  high: number;
} {
  const random = createRandom(1);
  const meanOf = (values: readonly number[]) =>
    values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
  const means = Array.from({ length: SAMPLES }, () =>
    meanOf(differences.map(() => random.pick(differences))),
  ).sort((a, b) => a - b);
  return {
    mean: meanOf(differences),
    low: means[Math.floor(SAMPLES * 0.025)] ?? 0,
    high: means[Math.floor(SAMPLES * 0.975)] ?? 0,
  };
}
