import sql, { join, raw, type Sql } from 'sql-template-tag';
import {
  type CallOutcome,
  type CallReport,
  type VoidedCall,
  voidCalls,
  writeReports,
} from './call-writes.ts';
import { createCommitQueue } from './commit-queue.ts';
import type { Connection } from './database.ts';
import { sumUpSome, unsummedCalls } from './sum-up.ts';
import { nameCondition } from './tool-patterns.ts';
import { DAY_MS } from './usage-sums.ts';

/** How long raw calls, and with them their `call_id`, are kept. */
const RAW_CALLS_MS = 30 * DAY_MS;
/** How long sums by the hour, and the counts of errors, are kept. */
const HOURS_MS = 400 * DAY_MS;
/** How far a reporter's clock may go ahead of ours. */
const CLOCK_SKEW_MS = 5 * 60_000;

/** Reports that share a transaction; more would keep the event loop waiting. */
const MAX_CALLS_PER_COMMIT = 1_000;
const MAX_CALLS_PER_STEP = 1_000;
/** Recording waits for the sums when they are so many calls behind. */
const MAX_UNSUMMED = 50_000;

/** A call as the history shows it; timestamp in milliseconds. */
export interface StoredCall {
  id: number;
  tool_id: string;
  timestamp: number;
  execution_time_ms: number;
  success: 0 | 1;
  error: string | null;
  caller: string | null;
  call_id: string | null;
  /** Name of the user who reported it, its id when the user is gone. */
  reporter: string;
}

/** All conditions hold together; times in milliseconds, `since` included, `until` not. */
export interface CallFilter {
  tool?: number;
  success?: boolean;
  since?: number;
  until?: number;
  caller?: string;
}

/** The reports that shared a transaction, what became of each of their calls, and how long it took. */
export interface Commit {
  reports: readonly CallReport[];
  outcomes: readonly CallOutcome[][];
  seconds: number;
}

/** Told of each commit; for metrics. */
export interface CommitObserver {
  committed(commit: Commit): void;
}

export type CallStore = ReturnType<typeof createCallStore>;

/** Recording calls and reading their history; `afterCommit` is called when some were recorded. */
export function createCallStore(db: Connection, afterCommit: () => void = () => {}) {
  let observer: CommitObserver | undefined;
  const queue = createCommitQueue<CallReport, CallOutcome[]>(db, {
    weightOf: ({ calls }) => calls.length,
    maxWeight: MAX_CALLS_PER_COMMIT,
    writeAll(reports) {
      const now = Date.now();
      return writeReports(db, reports, { from: now - RAW_CALLS_MS, before: now + CLOCK_SKEW_MS });
    },
    async committed(reports, outcomes, seconds) {
      observer?.committed({ reports, outcomes, seconds });
      afterCommit();
      while (unsummedCalls(db) > MAX_UNSUMMED) await db.write(() => sumUpSome(db));
    },
  });

  async function sumUpStep(): Promise<boolean> {
    return unsummedCalls(db) > 0 && db.write(() => sumUpSome(db));
  }

  async function sumUp(): Promise<void> {
    while (await sumUpStep());
  }

  return {
    /**
     * Adds all calls to the sums by hour and day.
     * @throws AppError ServiceUnavailableError, StorageFullError; a later try goes on from there.
     */
    sumUp,

    /** Adds some. @returns whether there may be more. @throws as `sumUp`. */
    sumUpSome: sumUpStep,

    /**
     * Records up to 1,000 calls, on disk when it resolves. Reports that arrive together share a
     * transaction, and with it the wait for the disk.
     * @throws AppError ServiceUnavailableError, StorageFullError; nothing is recorded then.
     */
    record: (report: CallReport): Promise<CallOutcome[]> => queue.push(report),

    /** Calls that wait to be written. */
    waitingCalls: queue.waitingWeight,

    observe(by: CommitObserver): void {
      observer = by;
    },

    /** A page of the history, the newest first, and how many calls match. */
    async list(
      filter: CallFilter,
      size: number,
      from: number,
    ): Promise<{ calls: StoredCall[]; total: number }> {
      return db.read(() => {
        const conditions = where(db, filter);
        const calls = db.all<StoredCall>(sql`select ${COLUMNS} from (
            select id from calls where ${conditions}
            order by timestamp desc, id desc limit ${size} offset ${from}
          ) as page join calls on calls.id = page.id ${LABELS}
          order by calls.timestamp desc, calls.id desc`);
        const [total = 0] = db.column<number>(sql`select count(*) from calls where ${conditions}`);
        return { calls, total };
      });
    },

    /** Up to `limit` calls behind the one given, the oldest first: walks all in constant memory. */
    async after(
      last: Pick<StoredCall, 'timestamp' | 'id'> | undefined,
      filter: CallFilter,
      limit: number,
    ): Promise<StoredCall[]> {
      const behind = last
        ? sql`(timestamp, id) > (${last.timestamp}, ${last.id})`
        : sql`timestamp >= ${Number.MIN_SAFE_INTEGER}`;
      return db.read(() =>
        db.all(sql`select ${COLUMNS} from (
            select id from calls where ${behind} and ${where(db, filter)}
            order by timestamp, id limit ${limit}
          ) as page join calls on calls.id = page.id ${LABELS}
          order by calls.timestamp, calls.id`),
      );
    },

    /**
     * Takes back up to 1,000 kept calls of a reporter (id) in a period; with patterns, only those of
     * tools that these let through.
     * @returns how many; fewer than 1,000 are the last.
     */
    async voidSome(
      reporter: string,
      since: number,
      until: number,
      patterns?: readonly string[],
    ): Promise<number> {
      await sumUp();
      const among = patterns === undefined ? sql`` : sql`and tool in (${toolsNamed(patterns)})`;
      return db.write(() => {
        while (sumUpSome(db));
        const calls = db
          .all<Omit<VoidedCall, 'success'> & { success: 0 | 1 }>(sql`select id, tool, timestamp,
            execution_time_ms, success, error, caller from calls
            where reporter = ${reporter} and timestamp >= ${since} and timestamp < ${until}
            ${among} limit ${MAX_CALLS_PER_STEP}`)
          .map((call) => ({ ...call, success: call.success === 1 }));
        if (calls.length > 0) voidCalls(db, calls);
        return calls.length;
      });
    },

    /**
     * Removes some of what is kept no longer: raw calls, then hours. Totals, days and the tools' sums
     * stay as they are.
     * @returns whether there may be more.
     */
    async expireSome(now: number): Promise<boolean> {
      // Whole hours: what is kept of an hour is all or nothing.
      const rawBefore = now - RAW_CALLS_MS;
      const hoursBefore = now - HOURS_MS - ((now - HOURS_MS) % DAY_MS);
      const isDue =
        db.column(sql`select 1 from calls where timestamp < ${rawBefore} limit 1`).length > 0 ||
        db.column(sql`select 1 from usage_hours where start < ${hoursBefore} limit 1`).length > 0 ||
        db.column(sql`select 1 from usage_errors where start < ${hoursBefore} limit 1`).length > 0;
      if (!isDue) return false;
      await sumUp();
      return db.write(() => {
        const counts = [
          sql`delete from calls where id in (select id from calls where timestamp < ${rawBefore}
            order by timestamp limit ${MAX_CALLS_PER_STEP})`,
          sql`delete from usage_hours where (start, series) in (select start, series
            from usage_hours where start < ${hoursBefore} limit ${MAX_CALLS_PER_STEP})`,
          sql`delete from usage_errors where (start, series, error) in (select start, series, error
            from usage_errors where start < ${hoursBefore} limit ${MAX_CALLS_PER_STEP})`,
        ].map((statement) => db.run(statement).changes);
        return counts.includes(MAX_CALLS_PER_STEP);
      });
    },
  };
}

const COLUMNS = sql`calls.id, coalesce(tools.tool_id, removed_tools.tool_id, '') as tool_id,
  calls.timestamp, calls.execution_time_ms, calls.success, calls.error, callers.name as caller,
  calls.call_id, coalesce(users.name, calls.reporter) as reporter`;

const LABELS = sql`left join tools on tools.id = calls.tool
  left join removed_tools on removed_tools.id = calls.tool
  left join callers on callers.id = calls.caller
  left join users on users.id = calls.reporter`;

function toolsNamed(patterns: readonly string[]): Sql {
  const condition = raw(nameCondition('name', patterns));
  return sql`select id from tools where ${condition}
    union all select id from removed_tools where ${condition}`;
}

function where(db: Connection, { tool, success, since, until, caller }: CallFilter): Sql {
  const terms: Sql[] = [sql`1`];
  if (tool !== undefined) terms.push(sql`tool = ${tool}`);
  if (success !== undefined) terms.push(sql`success = ${Number(success)}`);
  if (since !== undefined) terms.push(sql`timestamp >= ${since}`);
  if (until !== undefined) terms.push(sql`timestamp < ${until}`);
  if (caller !== undefined) {
    const [id = -1] = db.column<number>(sql`select id from callers where name = ${caller}`);
    terms.push(sql`caller = ${id}`);
  }
  return join(terms, ' and ');
}
