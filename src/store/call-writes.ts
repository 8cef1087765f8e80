import sql from 'sql-template-tag';
import type { Connection } from './database.ts';
import type { RecentCall, UsageSums } from './tools.ts';
import { MAX_RECENT_CALLS, roundDuration, usageNumbers } from './usage-numbers.ts';
import { createSums, type SummedCall } from './usage-sums.ts';

/** A call as reported, of the tool with this id or exact name. Times in milliseconds. */
export type ReportedCall = ({ tool_id: string } | { name: string }) & {
  timestamp: number;
  execution_time_ms: number;
  success: boolean;
  error: string | null;
  caller: string | null;
  call_id: string | null;
};

export type CallOutcome =
  | { status: 'recorded' | 'duplicate' }
  | { status: 'refused'; reason: 'unknown_tool' | 'too_old' | 'in_future' };

export interface CallReport {
  reporter: string;
  calls: readonly ReportedCall[];
  /** Which tools there are for the reporter, by name; all when absent. */
  allows?: (name: string) => boolean;
}

/** The half-open range of timestamps that are taken. */
export interface TakenTimes {
  from: number;
  before: number;
}

/** Writes the reports inside one transaction. @returns the outcome of each call of each report. */
export function writeReports(
  db: Connection,
  reports: readonly CallReport[],
  times: TakenTimes,
): CallOutcome[][] {
  const tools = new Map<string, CalledTool | undefined>();
  const callers = new Map<string, number>();
  const recorded: SummedCall[] = [];

  function write(call: ReportedCall, { reporter, allows }: CallReport): CallOutcome {
    if (call.timestamp < times.from) return { status: 'refused', reason: 'too_old' };
    if (call.timestamp >= times.before) return { status: 'refused', reason: 'in_future' };
    const known = cached(tools, 'tool_id' in call ? call.tool_id : ` ${call.name}`, () =>
      findTool(db, call),
    );
    if (known === undefined || allows?.(known.name) === false) {
      return { status: 'refused', reason: 'unknown_tool' };
    }
    const tool = known.id;
    const caller =
      call.caller === null
        ? null
        : cached(callers, call.caller, () => callerId(db, call.caller ?? ''));
    const { timestamp, success, error, call_id } = call;
    const execution_time_ms = roundDuration(call.execution_time_ms);
    const { changes } = db.run(sql`insert into calls
      (tool, timestamp, execution_time_ms, success, error, caller, call_id, reporter)
      values (${tool}, ${timestamp}, ${execution_time_ms}, ${Number(success)}, ${error}, ${caller},
        ${call_id}, ${reporter})
      on conflict (tool, call_id) where call_id is not null do nothing`);
    if (changes === 0) return { status: 'duplicate' };
    recorded.push({ tool, timestamp, execution_time_ms, success, error, caller });
    return { status: 'recorded' };
  }

  const outcomes = reports.map((report) => report.calls.map((call) => write(call, report)));
  if (recorded.length > 0) {
    for (const [tool, calls] of Map.groupBy(recorded, ({ tool }) => tool))
      addToTool(db, tool, calls);
    raiseUsage(db);
  }
  return outcomes;
}

function raiseUsage(db: Connection): void {
  db.run(sql`update change_counters set value = value + 1 where subject = 'usage'`);
}

function cached<Value>(known: Map<string, Value>, key: string, find: () => Value): Value {
  const value = known.get(key);
  if (value !== undefined || known.has(key)) return value as Value;
  const found = find();
  known.set(key, found);
  return found;
}

interface CalledTool {
  id: number;
  name: string;
}

function findTool(db: Connection, call: ReportedCall): CalledTool | undefined {
  return db.one(
    'tool_id' in call
      ? sql`select id, name from tools where tool_id = ${call.tool_id}`
      : sql`select id, name from tools where name = ${call.name}`,
  );
}

function callerId(db: Connection, name: string): number {
  const [known] = db.column<number>(sql`select id from callers where name = ${name}`);
  if (known !== undefined) return known;
  return Number(db.run(sql`insert into callers (name) values (${name})`).lastInsertRowid);
}

/** Adds calls to the sums and the newest calls that the tool's answers show. */
function addToTool(db: Connection, tool: number, calls: readonly SummedCall[]): void {
  changeSums(db, tool, calls, 1);
  const [json = '[]'] = db.column<string>(sql`select calls from recent_calls where tool = ${tool}`);
  const known = JSON.parse(json) as [number, number, 0 | 1][];
  const added = calls.map(({ timestamp, execution_time_ms, success }) => [
    timestamp,
    execution_time_ms,
    Number(success),
  ]);
  // Of calls of one moment, the one that came last is the newest.
  const newest = [...added.reverse(), ...known]
    .sort(([a = 0], [b = 0]) => b - a)
    .slice(0, MAX_RECENT_CALLS);
  writeRecentCalls(db, tool, newest);
}

/** A tool without newest calls has no row, as one that was never called. */
function writeRecentCalls(db: Connection, tool: number, calls: readonly unknown[]): void {
  if (calls.length === 0) {
    db.run(sql`delete from recent_calls where tool = ${tool}`);
    return;
  }
  db.run(sql`insert into recent_calls (tool, calls) values (${tool}, ${JSON.stringify(calls)})
    on conflict (tool) do update set calls = excluded.calls`);
}

function changeSums(
  db: Connection,
  tool: number,
  calls: readonly SummedCall[],
  sign: 1 | -1,
): void {
  const known = db.one<
    UsageSums & ReturnType<typeof usageNumbers>
  >(sql`select total_calls, successful_calls,
    total_execution_time_ms, success_rate, avg_execution_time_ms from tools where id = ${tool}`);
  if (known === undefined) return;
  const ms = calls.reduce((sum, call) => sum + call.execution_time_ms, 0);
  const sums = {
    total_calls: known.total_calls + sign * calls.length,
    successful_calls: known.successful_calls + sign * calls.filter(({ success }) => success).length,
    total_execution_time_ms: roundDuration(known.total_execution_time_ms + sign * ms),
  };
  const { success_rate, avg_execution_time_ms } = usageNumbers(sums);
  // A column that is set costs its index two pages, also when it keeps its value, as this mostly does.
  const rate = success_rate === known.success_rate ? sql`` : sql`, success_rate = ${success_rate}`;
  db.run(sql`update tools set total_calls = ${sums.total_calls},
    successful_calls = ${sums.successful_calls},
    total_execution_time_ms = ${sums.total_execution_time_ms},
    avg_execution_time_ms = ${avg_execution_time_ms}${rate} where id = ${tool}`);
}

/** A raw call to take back. */
export interface VoidedCall extends SummedCall {
  id: number;
}

/**
 * Takes calls that are summed up back, inside a transaction: from the history, the sums and the
 * tools' newest calls.
 */
export function voidCalls(db: Connection, calls: readonly VoidedCall[]): void {
  for (const { id } of calls) db.run(sql`delete from calls where id = ${id}`);
  for (const [tool, own] of Map.groupBy(calls, ({ tool }) => tool)) {
    changeSums(db, tool, own, -1);
    removeFromRecent(db, tool, own);
  }
  const sums = createSums();
  for (const call of calls) sums.add(call);
  sums.write(db, -1);
  raiseUsage(db);
}

/** The newest of the calls that stay: those in the history, and those that only the tool remembers. */
function removeFromRecent(db: Connection, tool: number, calls: readonly VoidedCall[]): void {
  const [json] = db.column<string>(sql`select calls from recent_calls where tool = ${tool}`);
  if (json === undefined) return;
  const remembered = JSON.parse(json) as [number, number, 0 | 1][];
  const kept = db.all<Omit<RecentCall, 'success'> & { success: 0 | 1 }>(sql`select timestamp,
    execution_time_ms, success from calls
    where tool = ${tool} order by timestamp desc, id desc limit ${MAX_RECENT_CALLS}`);
  // The kept ones come from the history: alike calls of one moment differ in their order only there.
  for (const { timestamp, execution_time_ms, success } of [...calls, ...kept]) {
    const at = remembered.findIndex(
      (call) =>
        call[0] === timestamp && call[1] === execution_time_ms && call[2] === Number(success),
    );
    if (at >= 0) remembered.splice(at, 1);
  }
  const newest = [
    ...kept.map((call) => [call.timestamp, call.execution_time_ms, call.success]),
    ...remembered,
  ]
    .sort(([a = 0], [b = 0]) => b - a)
    .slice(0, MAX_RECENT_CALLS);
  writeRecentCalls(db, tool, newest);
}
