import sql, { raw, type Sql } from 'sql-template-tag';
import type { Connection } from './database.ts';
import { ALL_CALLS, addRow, DAY_MS, emptySum, HOUR_MS, type Sum } from './usage-sums.ts';

const MINUTE_MS = 60_000;

/** Length of each interval in milliseconds. */
export const INTERVALS = { minute: MINUTE_MS, hour: HOUR_MS, day: DAY_MS } as const;
export type Interval = keyof typeof INTERVALS;

/** Milliseconds, `since` included, `until` not. */
export interface Period {
  since: number;
  until: number;
}

/** `start` of the hour. */
export interface ErrorCount {
  start: number;
  error: string;
  calls: number;
}

export interface RawCall {
  id: number;
  timestamp: number;
  execution_time_ms: number;
  success: 0 | 1;
  error: string | null;
}

export const GROUPS = ['tool', 'caller', 'server', 'category'] as const;
export type Group = (typeof GROUPS)[number];

/** A sum without durations by bucket, and what it is of; `tool_id` when that is a tool. */
export interface GroupSum {
  key: string;
  tool_id: string | null;
  calls: number;
  successes: number;
  execution_time_ms: number;
}

type Row = Parameters<typeof addRow>[1];
type StartRow = Row & { start: number };

export type UsageStore = ReturnType<typeof createUsageStore>;

/** Reading what was summed by the hour and the day; `sumUp` brings that up to date first. */
export function createUsageStore(db: Connection, sumUp: () => Promise<void>) {
  /** Of some tools only, all calls are those of each of them. */
  function isOf(series: number): Sql {
    return db.isNarrowed && series === ALL_CALLS ? sql`series > 0` : sql`series = ${series}`;
  }

  function kept(interval: 'hour' | 'day', series: number, period: Period): Map<number, Sum> {
    const table = raw(interval === 'hour' ? 'usage_hours' : 'usage_days');
    const sums = new Map<number, Sum>();
    const query = sql`${startsOf(period, INTERVALS[interval])}
      select start, calls, successes, execution_time_ms, buckets
      from wanted join ${table} using (start) where ${isOf(series)}`;
    // Row by row where each start has one for each tool.
    for (const row of db.isNarrowed ? db.each<StartRow>(query) : db.all<StartRow>(query)) {
      const sum = sums.get(row.start) ?? emptySum();
      sums.set(row.start, sum);
      addRow(sum, row);
    }
    return sums;
  }

  /** Sums of all tools' (or callers') series, by whole days where they fit and by hours at the ends. */
  function seriesSums(series: 'tools' | 'callers', { since, until }: Period) {
    const firstDay = Math.ceil(since / DAY_MS) * DAY_MS;
    const lastDay = Math.max(firstDay, Math.floor(until / DAY_MS) * DAY_MS);
    const which = raw(series === 'tools' ? 'series > 0' : 'series < 0');
    const columns = sql`series, calls, successes, execution_time_ms`;
    // Where no whole day fits in, the hours from `since` are all there is.
    return sql`select series, sum(calls) as calls, sum(successes) as successes,
        round(sum(execution_time_ms), 3) as execution_time_ms
      from (
        select ${columns} from usage_days
          where start >= ${firstDay} and start < ${lastDay} and ${which}
        union all select ${columns} from usage_hours
          where start >= ${since} and start < ${Math.min(firstDay, until)} and ${which}
        union all select ${columns} from usage_hours
          where start >= ${Math.max(lastDay, Math.min(firstDay, until))} and start < ${until} and ${which}
      ) group by series`;
  }

  /** Callers' sums are of all tools: those of some are of the calls that are still kept. */
  function callerSums({ since, until }: Period): Sql {
    return sql`select -caller as series, count(*) as calls, sum(success) as successes,
        round(sum(execution_time_ms), 3) as execution_time_ms
      from calls where timestamp >= ${since} and timestamp < ${until} and caller is not null
      group by caller`;
  }

  const labelled = sql`left join tools on tools.id = sums.series
    left join removed_tools on removed_tools.id = sums.series`;

  return {
    /** Sums by start of the hour or day, of one tool (row id) or of all calls; empty ones are left out. */
    async series(
      tool: number | undefined,
      interval: 'hour' | 'day',
      period: Period,
    ): Promise<Map<number, Sum>> {
      await sumUp();
      return kept(interval, tool ?? ALL_CALLS, period);
    },

    /** How often which error was reported in which hour. */
    async errors(tool: number | undefined, period: Period): Promise<ErrorCount[]> {
      await sumUp();
      return db.all(sql`${hoursOf(period)} select start, error, calls
        from wanted join usage_errors using (start) where ${isOf(tool ?? ALL_CALLS)}`);
    },

    /** Up to `limit` kept calls of a period behind the last one, in their order: for sums by the minute. */
    async callsAfter(
      tool: number | undefined,
      { since, until }: Period,
      last: { timestamp: number; id: number } | undefined,
      limit: number,
    ): Promise<RawCall[]> {
      const own = tool === undefined ? sql`1` : sql`tool = ${tool}`;
      const behind = last ?? { timestamp: since, id: -1 };
      return db.all(sql`select id, timestamp, execution_time_ms, success, error from calls
        where ${own} and (timestamp, id) > (${behind.timestamp}, ${behind.id})
          and timestamp < ${until} order by timestamp, id limit ${limit}`);
    },

    /** The groups with most calls in the period (whole hours), and how many groups had any. */
    async groups(
      by: Group,
      period: Period,
      limit: number,
    ): Promise<{ groups: GroupSum[]; total: number }> {
      const sums = seriesSums(by === 'caller' ? 'callers' : 'tools', period);
      const label = raw(by === 'tool' ? 'name' : by === 'caller' ? 'name' : by);
      const query =
        by === 'caller'
          ? sql`select callers.name as key, null as tool_id, calls, successes, execution_time_ms
              from (${db.isNarrowed ? callerSums(period) : sums}) as sums join callers on callers.id = -sums.series`
          : by === 'tool'
            ? sql`select coalesce(tools.name, removed_tools.name, '') as key,
                coalesce(tools.tool_id, removed_tools.tool_id) as tool_id,
                calls, successes, execution_time_ms from (${sums}) as sums ${labelled}`
            : sql`select coalesce(tools.${label}, removed_tools.${label}, '') as key, null as tool_id,
                sum(calls) as calls, sum(successes) as successes,
                round(sum(execution_time_ms), 3) as execution_time_ms
              from (${sums}) as sums ${labelled} group by 1`;
      await sumUp();
      return db.read(() => {
        const rows = db.all<GroupSum>(query);
        rows.sort((a, b) => b.calls - a.calls || (a.key < b.key ? -1 : 1));
        return { groups: rows.slice(0, limit), total: rows.length };
      });
    },

    /** Tools (no removed ones) with at least `minCalls` in the period and a failure, worst rate first. */
    async failing(period: Period, minCalls: number, limit: number): Promise<GroupSum[]> {
      await sumUp();
      return db.all(sql`select tools.name as key, tools.tool_id, calls, successes, execution_time_ms
        from (${seriesSums('tools', period)}) as sums join tools on tools.id = sums.series
        where calls >= ${minCalls} and successes < calls
        order by cast(successes as real) / calls, calls desc, tools.name limit ${limit}`);
    },

    /** Tools that were never called, in name order, and how many there are. */
    async neverUsed(
      limit: number,
    ): Promise<{ tools: { tool_id: string; name: string }[]; total: number }> {
      return db.read(() => {
        const [total = 0] = db.column<number>(
          sql`select count(*) from tools where total_calls = 0`,
        );
        const tools = db.all<{ tool_id: string; name: string }>(
          sql`select tool_id, name from tools where total_calls = 0 order by name limit ${limit}`,
        );
        return { tools, total };
      });
    },
  };
}

/** Every start in the period: looking each up touches one series only, where a range has all. */
function startsOf({ since, until }: Period, step: number): Sql {
  return sql`with recursive wanted (start) as (
    select ${since} where ${since} < ${until}
    union all select start + ${step} from wanted where start + ${step} < ${until})`;
}

function hoursOf({ since, until }: Period): Sql {
  return startsOf({ since: since - (since % HOUR_MS), until }, HOUR_MS);
}
