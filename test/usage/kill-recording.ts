import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { checkStore } from '../../src/catalogue/check.ts';
import { openStore } from '../../src/store/store.ts';
import { temporaryFolder } from '../helper.ts';
import { type ServerProcess, startServerProcess } from '../server-process.ts';
import { compareAll } from './compare.ts';
import { createModel, type ModelTool } from './model.ts';
import { planReports, type Report } from './plan-reports.ts';
import type { ShownCall } from './report-calls.ts';

const CLIENTS = 8;
const TOOLS = ['tool_0', 'tool_1', 'tool_2', 'tool_3'];

/** What clients know: each call is told by its duration, which no other has. */
interface Known {
  acknowledged: Set<number>;
  /** Reports under way when the server was killed. */
  unsure: Set<Report>;
}

/** What was seen, so that a test can say that it tested something. */
export interface KillCounts {
  acknowledged: number;
  retried: number;
  landed: number;
  lost: number;
}

/**
 * Eight clients record calls until `enough` reports were acknowledged; then the server is killed and
 * started again on its file, reports under way are sent again where that is safe, and everything
 * that it shows is compared with a recount of the calls.
 */
export async function killWhileRecording(
  t: TestContext,
  { rounds, enough }: { rounds: number; enough: (round: number) => number },
): Promise<KillCounts> {
  const folder = temporaryFolder(t);
  const known: Known = { acknowledged: new Set(), unsure: new Set() };
  const counts: KillCounts = { acknowledged: 0, retried: 0, landed: 0, lost: 0 };
  let server = await startServerProcess(t, folder);
  const tools = await register(server);
  const nextReport = planReports(tools);
  for (let round = 0; round < rounds; round += 1) {
    await recordUntilKilled(server, nextReport, known, enough(round));
    await assertSound(folder);
    server = await startServerProcess(t, folder);
    await sendAgain(server, known, counts);
    const calls = await exported(server);
    assertKept(calls, known, counts);
    await compareWithRecount(server, tools, calls, round);
  }
  await server.kill();
  counts.acknowledged = known.acknowledged.size;
  return counts;
}

async function register(server: ServerProcess): Promise<ModelTool[]> {
  const definitions = TOOLS.map((name) => ({ name, description: '', server: 'files' }));
  const answer = await server.request('POST', '/tools', { tools: definitions });
  const { data } = (await answer.json()) as {
    data: { tools: { tool_id: string; name: string }[] };
  };
  return data.tools.map(({ tool_id, name }) => ({
    ...{ tool_id, name, category: '', server: 'files', isRemoved: false, recent: [] },
    base: { calls: 0, successes: 0, us: 0 },
  }));
}

async function recordUntilKilled(
  server: ServerProcess,
  nextReport: () => Report,
  { acknowledged, unsure }: Known,
  enough: number,
): Promise<void> {
  let answers = 0;
  async function client(): Promise<void> {
    for (;;) {
      const report = nextReport();
      unsure.add(report);
      const { recorded } = await send(server, report, 201);
      assert.equal(recorded, report.calls.length);
      unsure.delete(report);
      for (const { execution_time_ms } of report.calls) acknowledged.add(execution_time_ms);
      answers += 1;
      // Not awaited: it comes while the others go on.
      if (answers === enough) void server.kill();
      if (!report.isRetried) continue;
      const { duplicate } = await send(server, report, 200);
      assert.equal(duplicate, report.calls.length);
    }
  }
  // Each client ends when its connection does.
  const ends = await Promise.allSettled(Array.from({ length: CLIENTS }, client));
  for (const { reason } of ends as PromiseRejectedResult[]) {
    if (reason instanceof assert.AssertionError) throw reason;
  }
  await server.kill();
}

async function send(
  server: ServerProcess,
  { path, calls }: Report,
  ...statuses: number[]
): Promise<{ recorded: number; duplicate: number }> {
  const answer = await server.request('POST', path, { calls });
  const body = await answer.text();
  assert.ok(statuses.includes(answer.status), `${answer.status} ${body}`);
  return JSON.parse(body).data;
}

async function assertSound(folder: string): Promise<void> {
  const store = openStore(`file:${folder}/toolcrib.db`);
  try {
    assert.deepEqual((await checkStore(store)).faults, []);
  } finally {
    store.close();
  }
}

/** What a client does that got no answer: whatever has a `call_id` is there once after it. */
async function sendAgain(server: ServerProcess, known: Known, counts: KillCounts): Promise<void> {
  for (const report of known.unsure) {
    if (!report.hasIds) continue;
    const { recorded, duplicate } = await send(server, report, 200, 201);
    // A report of this length is one transaction.
    assert.ok(recorded === 0 || duplicate === 0, `${recorded} recorded, ${duplicate} duplicate`);
    assert.equal(recorded + duplicate, report.calls.length);
    for (const { execution_time_ms } of report.calls) known.acknowledged.add(execution_time_ms);
    known.unsure.delete(report);
    counts.retried += 1;
  }
}

async function exported(server: ServerProcess): Promise<ShownCall[]> {
  const lines = (await (await server.request('GET', '/calls')).text()).split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line));
}

function assertKept(calls: readonly ShownCall[], known: Known, counts: KillCounts): void {
  const found = new Set(calls.map(({ execution_time_ms }) => execution_time_ms));
  assert.equal(found.size, calls.length, 'a call is there twice');
  for (const report of known.unsure) {
    const there = report.calls.filter(({ execution_time_ms: ms }) => found.has(ms));
    assert.ok(there.length === 0 || there.length === report.calls.length, 'half a report is there');
    for (const { execution_time_ms } of there) known.acknowledged.add(execution_time_ms);
    counts[there.length > 0 ? 'landed' : 'lost'] += 1;
  }
  known.unsure.clear();
  const lost = [...known.acknowledged].filter((ms) => !found.has(ms));
  assert.deepEqual(lost, [], 'acknowledged calls are lost');
  assert.equal(found.size, known.acknowledged.size, 'there are calls that nobody sent');
}

async function compareWithRecount(
  server: ServerProcess,
  tools: readonly ModelTool[],
  calls: readonly ShownCall[],
  picks: number,
): Promise<void> {
  const get = async (path: string) => {
    const answer = await server.request('GET', path);
    return { statusCode: answer.status, body: await answer.text() };
  };
  for (;;) {
    const now = Date.now();
    const model = createModel(tools.map((tool) => ({ ...tool })));
    const given = calls.map(
      ({ timestamp, execution_time_ms: ms, error, caller, call_id, ...call }) => {
        return { ...call, timestamp: Date.parse(timestamp), ms, error, caller, call_id };
      },
    );
    model.record(given, 'admin', now);
    assert.equal(model.raw().length, calls.length);
    try {
      return await compareAll({ get }, model, now, picks);
    } catch (error) {
      // The periods that are asked for end now: another minute has other ones.
      if (Math.floor(now / 60_000) === Math.floor(Date.now() / 60_000)) throw error;
    }
  }
}
