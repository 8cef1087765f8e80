import type { UsageSums } from './tools.ts';

/** A tool keeps this many of its newest calls. */
export const MAX_RECENT_CALLS = 10;

/** The numbers as answers show them: a rate with 3 decimals, an average with 2; all 0 with no calls. */
export function usageNumbers(sums: UsageSums): {
  success_rate: number;
  avg_execution_time_ms: number;
} {
  const { total_calls: total } = sums;
  if (total === 0) return { success_rate: 0, avg_execution_time_ms: 0 };
  return {
    success_rate: Math.round((sums.successful_calls * 1000) / total) / 1000,
    // From whole microseconds: the half of 1.005 ms would be lost in 1.005 * 100.
    avg_execution_time_ms:
      Math.round(Math.round(sums.total_execution_time_ms * 1000) / (10 * total)) / 100,
  };
}

/** Microseconds are exact in sums of calls, which fractions of milliseconds would not be. */
export function roundDuration(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

/** What a tool has that was never called. */
export const NEVER_CALLED = {
  total_calls: 0,
  successful_calls: 0,
  total_execution_time_ms: 0,
  success_rate: 0,
  avg_execution_time_ms: 0,
  recent_calls: [],
};
