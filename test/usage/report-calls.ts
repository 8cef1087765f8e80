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

export interface AppWithTools extends TestApp {
  /** The tool_id of each name. */
  ids: Record<string, string>;
  /** Records calls of a tool, by its name, and gives what the answer says of them. */
  record: (name: string, calls: readonly object[]) => Promise<Recorded>;
  /** The data of a GET that must succeed. */
  data: (path: string) => Promise<Record<string, never>>;
}

export interface Recorded {
  recorded: number;
  duplicate: number;
  refused: number;
  items: { index: number; status: string; reason?: string; detail?: string }[];
}

/** The application with a tool for each name. */
export async function startWithTools(t: TestContext, ...names: string[]): Promise<AppWithTools> {
  const started = await startApp(t);
  const ids = await registerTools(started, ...names);
  return {
    ...started,
    ids,
    async record(name, calls) {
      const answer = await started.send('POST', `/tools/${ids[name]}/calls`, { calls });
      assert.ok(answer.statusCode < 300, answer.body);
      return answer.json().data;
    },
    async data(path) {
      const answer = await started.get(path);
      assert.equal(answer.statusCode, 200, answer.body);
      return answer.json().data;
    },
  };
}

/** Registers tools. @returns the tool_id of each name. */
export async function registerTools(
  { send, get }: TestApp,
  ...names: string[]
): Promise<Record<string, string>> {
  const tools = names.map((name) => ({ name, description: `What ${name} does` }));
  assert.equal((await send('POST', '/tools', { tools })).statusCode, 201);
  const listed = (await get('/tools?size=100')).json().data.tools as {
    name: string;
    tool_id: string;
  }[];
  return Object.fromEntries(listed.map(({ name, tool_id }) => [name, tool_id]));
}
