import sql, { raw } from 'sql-template-tag';
import type { Connection } from './database.ts';
import {
  addDuration,
  type DurationBuckets,
  decodeBuckets,
  encodeBuckets,
  mergeBuckets,
} from './duration-buckets.ts';
import { roundDuration } from './usage-numbers.ts';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** The series of all calls; a tool's is its row id, a caller's its row id, negative. */
export const ALL_CALLS = 0;

/** Of one hour and series, at most this many different errors are told apart. */
const MAX_ERRORS = 100;
const OTHER_ERRORS = '(other)';

/** What a sum needs to know of a call. */
export interface SummedCall {
  tool: number;
  timestamp: number;
  execution_time_ms: number;
  success: boolean;
  error: string | null;
  caller: number | null;
}

export interface Sum {
  calls: number;
  successes: number;
  execution_time_ms: number;
  buckets: DurationBuckets;
}

interface SumRow {
  calls: number;
  successes: number;
  execution_time_ms: number;
  buckets: Uint8Array;
}

export function emptySum(): Sum {
  return { calls: 0, successes: 0, execution_time_ms: 0, buckets: new Map() };
}

export function addCall(sum: Sum, call: Pick<SummedCall, 'success' | 'execution_time_ms'>): void {
  sum.calls += 1;
  sum.successes += Number(call.success);
  sum.execution_time_ms = roundDuration(sum.execution_time_ms + call.execution_time_ms);
  addDuration(sum.buckets, call.execution_time_ms);
}

export function mergeSum(sum: Sum, added: Sum): void {
  sum.calls += added.calls;
  sum.successes += added.successes;
  sum.execution_time_ms = roundDuration(sum.execution_time_ms + added.execution_time_ms);
  mergeBuckets(sum.buckets, added.buckets);
}

/** Adds a row of sums as it was read. */
export function addRow(sum: Sum, row: SumRow): void {
  sum.calls += row.calls;
  sum.successes += row.successes;
  sum.execution_time_ms = roundDuration(sum.execution_time_ms + row.execution_time_ms);
  decodeBuckets(row.buckets, sum.buckets);
}

/** Gathers calls, so that each row of sums by hour and day is written once for all of them. */
export function createSums() {
  const hours = new Map<number, Map<number, Sum>>();
  const days = new Map<number, Map<number, Sum>>();
  const errors = new Map<string, { start: number; series: number; error: string; calls: number }>();
  let rows = 0;

  function sumOf(table: Map<number, Map<number, Sum>>, start: number, series: number): Sum {
    const bySeries = table.get(start) ?? new Map<number, Sum>();
    table.set(start, bySeries);
    const known = bySeries.get(series);
    if (known !== undefined) return known;
    rows += 1;
    const sum = emptySum();
    bySeries.set(series, sum);
    return sum;
  }

  return {
    /** Rows that `write` will touch, those of errors aside. */
    rows: (): number => rows,

    add(call: SummedCall): void {
      const hour = call.timestamp - (call.timestamp % HOUR_MS);
      const series = [ALL_CALLS, call.tool];
      if (call.caller !== null) series.push(-call.caller);
      for (const one of series) {
        addCall(sumOf(hours, hour, one), call);
        addCall(sumOf(days, call.timestamp - (call.timestamp % DAY_MS), one), call);
      }
      if (call.error === null) return;
      for (const one of [ALL_CALLS, call.tool]) {
        const key = `${hour} ${one} ${call.error}`;
        const row = errors.get(key) ?? { start: hour, series: one, error: call.error, calls: 0 };
        row.calls += 1;
        errors.set(key, row);
      }
    },

    /** Adds them to what is kept, or takes them away again. Inside a transaction. */
    write(db: Connection, sign: 1 | -1): void {
      writeTable(db, 'usage_hours', hours, sign);
      writeTable(db, 'usage_days', days, sign);
      for (const row of errors.values()) writeError(db, row, sign);
    },
  };
}

function writeTable(
  db: Connection,
  table: 'usage_hours' | 'usage_days',
  sums: ReadonlyMap<number, ReadonlyMap<number, Sum>>,
  sign: 1 | -1,
): void {
  const name = raw(table);
  for (const [start, bySeries] of sums) {
    for (const [series, sum] of bySeries) {
      const known = db.one<SumRow>(sql`select calls, successes, execution_time_ms, buckets
        from ${name} where start = ${start} and series = ${series}`);
      const buckets = known === undefined ? new Map() : decodeBuckets(known.buckets);
      mergeBuckets(buckets, sum.buckets, sign);
      const calls = (known?.calls ?? 0) + sign * sum.calls;
      if (calls <= 0) {
        db.run(sql`delete from ${name} where start = ${start} and series = ${series}`);
        continue;
      }
      const successes = (known?.successes ?? 0) + sign * sum.successes;
      const ms = roundDuration((known?.execution_time_ms ?? 0) + sign * sum.execution_time_ms);
      db.run(sql`insert or replace into ${name}
        (start, series, calls, successes, execution_time_ms, buckets)
        values (${start}, ${series}, ${calls}, ${successes}, ${ms}, ${encodeBuckets(buckets)})`);
    }
  }
}

function writeError(
  db: Connection,
  { start, series, error, calls }: { start: number; series: number; error: string; calls: number },
  sign: 1 | -1,
): void {
  const update = (text: string) =>
    db.run(sql`update usage_errors set calls = calls + ${sign * calls}
      where start = ${start} and series = ${series} and error = ${text}`).changes > 0;
  if (!update(error) && (sign > 0 || !update(OTHER_ERRORS)) && sign > 0) {
    const [known = 0] = db.column<number>(
      sql`select count(*) from usage_errors where start = ${start} and series = ${series}`,
    );
    const text = known < MAX_ERRORS ? error : OTHER_ERRORS;
    if (text === error || !update(text)) {
      db.run(sql`insert into usage_errors (start, series, error, calls)
        values (${start}, ${series}, ${text}, ${calls})`);
    }
  }
  if (sign < 0) {
    db.run(sql`delete from usage_errors
      where start = ${start} and series = ${series} and calls <= 0`);
  }
}
