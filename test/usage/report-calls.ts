import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { startApp, type TestApp } from '../helper.ts';

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** A call as a reporter sends it; what is left out is a success of 10 ms. */
export function call(fields: Record<string, unknown> = {}) {
  return { execution_time_ms: 10, success: true, ...fields };
}

export function iso(ms: number): string {
  return new Date(ms).toISOString();
}

/** A call as the history shows it. */
export interface ShownCall {
  tool_id: string;
  timestamp: string;
  execution_time_ms: number;
  success: boolean;
  error?: string;
  caller?: string;
  call_id?: string;
  reporter: string;
}

/** Calls of a time as usage answers show them. */
export interface SeriesNumbers {
  calls: number;
  successes: number;
  success_rate: number;
  avg_execution_time_ms: number;
  p50_execution_time_ms: number | null;
  p95_execution_time_ms: number | null;
  p99_execution_time_ms: number | null;
  errors: { error: string; calls: number }[];
}

export interface Series {
  interval: string;
  since: string;
  until: string;
  totals: SeriesNumbers;
  buckets: (SeriesNumbers & { start: string })[];
}

export interface Recorded {
  recorded: number;
  duplicate: number;
  refused: number;
  items: { index: number; status: string; reason?: string; detail?: string }[];
}

export interface UsageApp extends TestApp {
  /** Registers a tool that no other test knows. */
  newTool: () => Promise<{ name: string; tool_id: string }>;
  /** Records calls of a tool, and gives what the answer says of them. */
  record: (tool_id: string, calls: readonly object[]) => Promise<Recorded>;
  /** The data of a GET that must succeed. */
  data: <Data = Record<string, unknown>>(path: string) => Promise<Data>;
  /** The numbers that a tool's own document shows. */
  stats: (tool_id: string) => Promise<{
    total_calls: number;
    success_rate: number;
    avg_execution_time_ms: number;
    recent_calls: { timestamp: string; execution_time_ms: number; success: boolean }[];
  }>;
}

/** The application with what these tests ask it for. One serves many tests: each has its own tools. */
export async function startUsageApp(t: TestContext): Promise<UsageApp> {
  const started = await startApp(t);
  let tools = 0;

  async function data<Data>(path: string): Promise<Data> {
    const answer = await started.get(path);
    assert.equal(answer.statusCode, 200, answer.body);
    return answer.json().data;
  }

  return {
    ...started,
    data,
    async newTool() {
      tools += 1;
      const name = `tool_${tools}`;
      const answer = await started.send('POST', '/tools', { tools: [{ name, description: '' }] });
      assert.equal(answer.statusCode, 201, answer.body);
      const [tool] = answer.json().data.tools;
      return { name, tool_id: tool.tool_id };
    },
    async record(tool_id, calls) {
      const answer = await started.send('POST', `/tools/${tool_id}/calls`, { calls });
      assert.ok(answer.statusCode < 300, answer.body);
      return answer.json().data;
    },
    async stats(tool_id) {
      const { usage_stats } = await data<{ usage_stats: never }>(`/tools/${tool_id}`);
      return usage_stats;
    },
  };
}
