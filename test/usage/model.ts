/**
 * What the statistics must be, told the plain way: every call ever recorded is kept in a list, and
 * each number is counted from it anew. Times in milliseconds, durations in whole microseconds.
 */
const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
const RAW_DAYS = 30;
const HOUR_DAYS = 400;
const SKEW = 300_000;

export interface ModelTool {
  tool_id: string;
  name: string;
  category: string;
  server: string;
  isRemoved: boolean;
  /** What it was imported with. */
  base: { calls: number; successes: number; us: number };
  recent: RecentCall[];
}

/** Of two of one moment the one with the higher `order` is the newer. */
export interface RecentCall {
  timestamp: number;
  us: number;
  success: boolean;
  order: number;
}

export interface ModelCall extends RecentCall {
  tool: ModelTool;
  error: string | undefined;
  caller: string | undefined;
  call_id: string | undefined;
  reporter: string;
  /** False once the retention removed the call itself, or its hour. */
  isRaw: boolean;
  isInHours: boolean;
}

export interface GivenCall {
  tool_id?: string;
  name?: string;
  timestamp: number;
  ms: number;
  success: boolean;
  error: string | undefined;
  caller: string | undefined;
  call_id: string | undefined;
}

export type Model = ReturnType<typeof createModel>;

export function createModel(tools: ModelTool[] = []) {
  let calls: ModelCall[] = [];
  let order = 0;

  const living = () => tools.filter((tool) => !tool.isRemoved);

  function outcomeOf(call: GivenCall, reporter: string, now: number) {
    const refused = (reason: string) => ({ status: 'refused', reason });
    if (call.timestamp < now - RAW_DAYS * DAY) return refused('too_old');
    if (call.timestamp >= now + SKEW) return refused('in_future');
    const tool = living().find(({ tool_id, name }) =>
      call.tool_id === undefined ? name === call.name : tool_id === call.tool_id,
    );
    if (tool === undefined) return refused('unknown_tool');
    const { timestamp, ms, success, error, caller, call_id } = call;
    const isKnown = (one: ModelCall) => one.isRaw && one.tool === tool && one.call_id === call_id;
    if (call_id !== undefined && calls.some(isKnown)) return { status: 'duplicate' };
    calls.push({
      ...{ tool, timestamp, us: Math.round(ms * 1000), success, error, caller, call_id, reporter },
      ...{ order: order++, isRaw: true, isInHours: true },
    });
    return { status: 'recorded' };
  }

  /** The newest ten of what is kept or was shown; what `isGone` says is neither. */
  function refreshRecent(tool: ModelTool, isGone = (_call: RecentCall) => false): void {
    const kept = new Set<RecentCall>(tool.recent.filter((call) => !isGone(call)));
    for (const call of calls) if (call.tool === tool && call.isRaw) kept.add(call);
    tool.recent = [...kept].sort(newestFirst).slice(0, 10);
  }

  return {
    tools,
    living,
    calls: (): readonly ModelCall[] => calls,
    raw: () => calls.filter(({ isRaw }) => isRaw),

    record(given: readonly GivenCall[], reporter: string, now: number) {
      const before = calls.length;
      const outcomes = given.map((call, index) => ({ index, ...outcomeOf(call, reporter, now) }));
      for (const tool of new Set(calls.slice(before).map(({ tool }) => tool))) refreshRecent(tool);
      return outcomes;
    },

    expire(now: number): void {
      const hoursBefore = Math.floor((now - HOUR_DAYS * DAY) / DAY) * DAY;
      for (const call of calls) {
        if (call.timestamp < now - RAW_DAYS * DAY) call.isRaw = false;
        if (call.timestamp < hoursBefore) call.isInHours = false;
      }
    },

    /** @returns how many. */
    void(reporter: string, since: number, until: number): number {
      const gone = new Set<RecentCall>(
        calls.filter(
          (call) =>
            call.isRaw &&
            call.reporter === reporter &&
            call.timestamp >= since &&
            call.timestamp < until,
        ),
      );
      calls = calls.filter((call) => !gone.has(call));
      for (const tool of tools) refreshRecent(tool, (call) => gone.has(call));
      return gone.size;
    },

    /** All calls of a tool, those before the import too. */
    totals(tool: ModelTool): Numbers {
      const own = calls.filter((call) => call.tool === tool);
      const { base } = tool;
      return numbers(
        base.calls + own.length,
        base.successes + own.filter(({ success }) => success).length,
        base.us + own.reduce((sum, { us }) => sum + us, 0),
      );
    },
  };
}

export function newestFirst(a: RecentCall, b: RecentCall): number {
  return b.timestamp - a.timestamp || b.order - a.order;
}

export interface Numbers {
  calls: number;
  successes: number;
  us: number;
  success_rate: number;
  avg_execution_time_ms: number;
}

/** The averages are rounded half up from whole microseconds. */
export function numbers(calls: number, successes: number, us: number): Numbers {
  return {
    ...{ calls, successes, us },
    success_rate: calls === 0 ? 0 : Math.round((successes * 1000) / calls) / 1000,
    avg_execution_time_ms: calls === 0 ? 0 : Math.round(us / (10 * calls)) / 100,
  };
}

export function numbersOf(calls: readonly ModelCall[]): Numbers {
  const successes = calls.filter(({ success }) => success).length;
  return numbers(
    calls.length,
    successes,
    calls.reduce((sum, { us }) => sum + us, 0),
  );
}
