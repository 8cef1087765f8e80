import sql from 'sql-template-tag';
import type { Connection } from './database.ts';
import { createSums, type SummedCall } from './usage-sums.ts';

/** Calls and rows of one step: more would keep the event loop waiting. */
const MAX_CALLS = 2_000;
const MAX_ROWS = 600;

type Row = Omit<SummedCall, 'success'> & { id: number; success: 0 | 1 };

/** How many calls, about, the sums by hour and day do not hold yet. */
export function unsummedCalls(db: Connection): number {
  const [count = 0] = db.column<number>(
    sql`select coalesce((select max(id) from calls), 0) - last_id from summed_calls`,
  );
  return Math.max(count, 0);
}

/** Adds the next calls to the sums, inside a transaction. @returns whether there may be more. */
export function sumUpSome(db: Connection): boolean {
  const [last = 0] = db.column<number>(sql`select last_id from summed_calls`);
  const rows = db.all<Row>(sql`select id, tool, timestamp, execution_time_ms, success, error, caller
    from calls where id > ${last} order by id limit ${MAX_CALLS}`);
  const sums = createSums();
  let taken = 0;
  for (const row of rows) {
    if (sums.rows() >= MAX_ROWS) break;
    sums.add({ ...row, success: row.success === 1 });
    taken += 1;
  }
  const newest = rows[taken - 1];
  if (newest === undefined) return false;
  sums.write(db, 1);
  db.run(sql`update summed_calls set last_id = ${newest.id}`);
  return taken < rows.length || rows.length === MAX_CALLS;
}
