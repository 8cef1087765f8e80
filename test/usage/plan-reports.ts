import type { ModelTool } from './model.ts';

const SECOND = 1_000;
const DAYS = 3 * 24 * 3_600;

/** A body for `path`, of one tool or of many. */
export interface Report {
  path: string;
  calls: {
    tool_id?: string;
    name?: string;
    timestamp: string;
    execution_time_ms: number;
    success: boolean;
    error?: string;
    caller?: string;
    call_id?: string;
  }[];
  hasIds: boolean;
  /** Whether it is sent once more although it was answered. */
  isRetried: boolean;
}

/**
 * Gives reports of single calls and of up to 40, every second with ids; no two calls have the same
 * duration. Their times are whole seconds of the last three days, as exact as an export is.
 */
export function planReports(tools: readonly ModelTool[]): () => Report {
  const now = Math.floor(Date.now() / SECOND) * SECOND;
  let reports = 0;
  let made = 0;

  function nextCall(hasIds: boolean) {
    made += 1;
    const isFailed = made % 5 === 0;
    return {
      timestamp: new Date(now - ((made * 7_919) % DAYS) * SECOND).toISOString(),
      execution_time_ms: made / 1000,
      success: !isFailed,
      ...(isFailed && { error: `error ${made % 7}` }),
      ...(made % 3 > 0 && { caller: `caller ${made % 4}` }),
      ...(hasIds && { call_id: `call-${made}` }),
    };
  }

  return () => {
    reports += 1;
    const hasIds = reports % 2 === 0;
    const kind = { hasIds, isRetried: reports % 6 === 0 };
    const tool = tools[reports % tools.length];
    if (reports % 3 > 0) {
      return { path: `/tools/${tool?.tool_id}/calls`, calls: [nextCall(hasIds)], ...kind };
    }
    const calls = Array.from({ length: 1 + (reports % 40) }, (_, index) => {
      const { tool_id = '', name = '' } = tools[(reports + index) % tools.length] ?? {};
      return { ...(index % 2 === 0 ? { tool_id } : { name }), ...nextCall(hasIds) };
    });
    return { path: '/calls', calls, ...kind };
  };
}
