import type { Store } from '../store/store.ts';
import type { Group, GroupSum } from '../store/usage.ts';
import { usageNumbers } from '../store/usage-numbers.ts';
import { DAY_MS } from '../store/usage-sums.ts';
import { periodOf, seriesOf, type UsageQuery, wholeHours } from './usage-report.ts';

/** A tool fails when it had this many calls in this time, worst rate first. */
const FAILING = { minCalls: 20, days: 7 } as const;

/**
 * Calls of the whole catalogue over time, removed tools' included, with the tools that matter.
 * @throws AppError ValidationError when the period is wrong.
 */
export async function catalogueUsage(
  store: Store,
  query: UsageQuery & { group_by?: Group; size: number },
) {
  const { interval, group_by, size } = query;
  const period = periodOf(query);
  const hours = wholeHours(period);
  const now = Date.now();
  const lastDays = wholeHours({ since: now - FAILING.days * DAY_MS, until: now + 1 });
  const mostUsed = await store.usage.groups('tool', hours, size);
  const groups = group_by && (await store.usage.groups(group_by, hours, size));
  return {
    ...(await seriesOf(store, undefined, interval, period)),
    most_used: mostUsed.groups.map(shownTool),
    failing: (await store.usage.failing(lastDays, FAILING.minCalls, size)).map(shownTool),
    never_used: await store.usage.neverUsed(size),
    ...(groups && {
      group_by,
      groups: groups.groups.map((sum) => ({ key: sum.key, ...idOf(sum), ...numbers(sum) })),
      groups_total: groups.total,
    }),
  };
}

function shownTool(sum: GroupSum) {
  return { ...idOf(sum), name: sum.key, ...numbers(sum) };
}

function idOf({ tool_id }: GroupSum) {
  return tool_id === null ? {} : { tool_id };
}

function numbers({ calls, successes, execution_time_ms }: GroupSum) {
  const sums = {
    total_calls: calls,
    successful_calls: successes,
    total_execution_time_ms: execution_time_ms,
  };
  return { calls, successes, ...usageNumbers(sums) };
}
