import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { exportTools } from '../../src/catalogue/export.ts';
import { importFile } from '../../src/cli/import.ts';
import { compareAll, compareList } from './compare.ts';
import { createModel, type GivenCall, type Model, type ModelTool } from './model.ts';
import { wire } from './picker.ts';
import type { BulkPlan, CallPlan, Step } from './steps.ts';
import { newFile, REPORTERS, type Served, serve } from './world.ts';

const HOUR = 3_600_000;
const UNKNOWN = 'tool-0000';

/** The clock that the application sees. */
export interface Clock {
  now(): number;
  forward(ms: number): void;
}

/** Does the same to the application and to the model; after each step their answers are the same. */
export function createRun(folder: string, served: Served, clock: Clock) {
  let app = served;
  let model: Model = createModel();

  const reporterOf = (which: number) => REPORTERS[which % REPORTERS.length] ?? REPORTERS[0];
  const toolAt = (which: number): ModelTool | undefined =>
    model.tools.length === 0 ? undefined : model.tools[which % model.tools.length];

  async function register(step: Extract<Step, { kind: 'register' }>): Promise<void> {
    const name = `tool_${step.name}`;
    const [category, server] = [labelled('category', step), labelled('server', step)];
    const metadata = category === '' ? {} : { metadata: { category } };
    const tool = { name, description: '', ...metadata, ...(server !== '' && { server }) };
    const answer = await app.send(REPORTERS[0], 'POST', '/tools', { tools: [tool] });
    if (model.living().some((one) => one.name === name)) {
      return assert.equal(answer.statusCode, 409);
    }
    assert.equal(answer.statusCode, 201, answer.body);
    const { tool_id } = answer.json().data.tools[0];
    const base = { calls: 0, successes: 0, us: 0 };
    model.tools.push({ tool_id, name, category, server, isRemoved: false, base, recent: [] });
  }

  async function record(step: Extract<Step, { kind: 'record' }>): Promise<void> {
    const { tool_id, isRemoved } = toolAt(step.tool) ?? { tool_id: UNKNOWN, isRemoved: true };
    const given = step.calls.map((call) => ({ ...givenCall(call, clock.now()), tool_id }));
    const calls = step.calls.map((call, index) => wireCall(call, given[index]));
    const reporter = reporterOf(step.reporter);
    const answer = await app.send(reporter, 'POST', `/tools/${tool_id}/calls`, { calls });
    if (isRemoved) return assert.equal(answer.statusCode, 404);
    assertRecorded(answer, given, reporter, 'json');
  }

  function planBulk({ calls, format, reporter }: BulkPlan) {
    const given = calls.map(({ tool, by, call }) => {
      const { tool_id, name } = toolAt(tool) ?? { tool_id: UNKNOWN, name: 'unknown' };
      return { ...givenCall(call, clock.now()), ...(by === 'name' ? { name } : { tool_id }) };
    });
    const sent = calls.map(({ call }, index) => {
      const { tool_id, name } = given[index] ?? {};
      return { ...wireCall(call, given[index]), ...(tool_id ? { tool_id } : { name }) };
    });
    const body =
      format === 'json' ? { calls: sent } : sent.map((call) => JSON.stringify(call)).join('\n');
    return { given, body, reporter: reporterOf(reporter), format };
  }

  async function reportTogether(plans: readonly BulkPlan[]): Promise<void> {
    const reports = plans.map(planBulk);
    const answers = await Promise.all(
      reports.map(({ body, reporter }) => app.send(reporter, 'POST', '/calls', body)),
    );
    for (const [index, { given, reporter, format }] of reports.entries()) {
      const answer = answers[index];
      assert(answer);
      assertRecorded(answer, given, reporter, format);
    }
  }

  function assertRecorded(
    answer: Awaited<ReturnType<Served['send']>>,
    given: readonly GivenCall[],
    reporter: string,
    format: BulkPlan['format'],
  ): void {
    const outcomes = model.record(given, reporter, clock.now());
    const count = (wanted: string) => outcomes.filter(({ status }) => status === wanted).length;
    const sums = {
      recorded: count('recorded'),
      duplicate: count('duplicate'),
      refused: count('refused'),
    };
    const { recorded, duplicate } = sums;
    const status = recorded > 0 ? 201 : duplicate > 0 ? 200 : 400;
    assert.equal(answer.statusCode, status, answer.body);
    const body = answer.json();
    const { field: _, reason: __, ...shown } = status === 400 ? body.error.details : body.data;
    const items =
      format === 'json' ? outcomes : outcomes.filter((one) => one.status !== 'recorded');
    assert.deepEqual(shown, { ...sums, items });
  }

  async function burst({ tool, count, call }: Extract<Step, { kind: 'burst' }>): Promise<void> {
    const calls = Array.from({ length: count }, (_, index) => ({
      ...{ tool, by: 'tool_id' as const },
      call: {
        ...call,
        age: call.age + index * 7_919,
        ms: call.ms / (index + 1),
        call_id: undefined,
      },
    }));
    await reportTogether([{ kind: 'bulk', reporter: 0, format: 'lines', calls }]);
  }

  async function update(step: Extract<Step, { kind: 'update' }>): Promise<void> {
    const tool = toolAt(step.tool);
    if (tool === undefined) return;
    const { change } = step;
    const name = 'name' in change ? `tool_${change.name}` : undefined;
    const category = 'category' in change ? labelled('category', change) : undefined;
    const server = 'server' in change ? labelled('server', change) : undefined;
    const body = {
      name,
      metadata: category === undefined ? undefined : category === '' ? {} : { category },
      server,
    };
    const answer = await app.send(REPORTERS[0], 'PUT', `/tools/${tool.tool_id}`, body);
    if (tool.isRemoved) return assert.equal(answer.statusCode, 404);
    if (model.living().some((one) => one !== tool && one.name === name)) {
      return assert.equal(answer.statusCode, 409);
    }
    assert.equal(answer.statusCode, 200, answer.body);
    tool.name = name ?? tool.name;
    tool.category = category ?? tool.category;
    tool.server = server ?? tool.server;
  }

  async function remove(which: number): Promise<void> {
    const tool = toolAt(which);
    if (tool === undefined) return;
    const answer = await app.send(REPORTERS[0], 'DELETE', `/tools/${tool.tool_id}`);
    assert.equal(answer.statusCode, tool.isRemoved ? 404 : 200);
    tool.isRemoved = true;
  }

  async function expire(): Promise<void> {
    while (await app.store.calls.expireSome(clock.now()));
    model.expire(clock.now());
  }

  async function voidCalls(step: Extract<Step, { kind: 'void' }>): Promise<void> {
    const reporter = reporterOf(step.reporter);
    const times = [step.since, step.until].map((age) => clock.now() - age).sort((a, b) => a - b);
    const [since = 0, until = 0] = times;
    if (since === until) return;
    const [from, to] = times.map((ms) => new Date(ms).toISOString());
    const path = `/calls?reporter=${reporter}&since=${from}&until=${to}`;
    const answer = await app.send(REPORTERS[0], 'DELETE', path);
    const voided = model.void(reporter, since, until);
    const shown = { reporter, since: wire(since), until: wire(until), voided };
    assert.deepEqual(answer.json().data, shown);
  }

  async function importBaseline(step: Extract<Step, { kind: 'baseline' }>): Promise<void> {
    const { total_calls, success_rate, avg_execution_time_ms } = step;
    const name = `tool_${step.name}`;
    const recent = step.recent.map(({ age, us }, index) => {
      const timestamp = clock.now() - age;
      return { timestamp, us, success: index % 3 > 0, order: -1 - index };
    });
    const recent_calls = recent.map(({ timestamp, us, success }) => {
      return { timestamp, execution_time_ms: us / 1000, success };
    });
    const usage = { total_calls, success_rate, avg_execution_time_ms, recent_calls };
    const line = JSON.stringify({ name, description: '', category: 'c', usage_stats: usage });
    const source = { input: Readable.from([Buffer.from(line)]), size: 0 };
    const counts = await importFile(app.store, source, { onConflict: 'skip' });
    const isKnown = model.living().some((one) => one.name === name);
    assert.deepEqual([counts.created, counts.skipped], isKnown ? [0, 1] : [1, 0]);
    if (isKnown) return;
    const listed = (await app.get('/tools?size=100')).json().data.tools as ModelTool[];
    const { tool_id } = listed.find((tool) => tool.name === name) ?? { tool_id: '' };
    model.tools.push({
      ...{ tool_id, name, category: 'c', server: '', isRemoved: false },
      base: {
        calls: total_calls,
        successes: Math.round(total_calls * success_rate),
        us: total_calls * Math.round(avg_execution_time_ms * 1000),
      },
      recent: recent.sort((a, b) => b.timestamp - a.timestamp || b.order - a.order).slice(0, 10),
    });
  }

  /** Into a new store: the totals and newest calls of the tools come along. */
  async function move(): Promise<void> {
    const lines: string[] = [];
    for await (const line of exportTools(app.store)) lines.push(`${line}\n`);
    await app.close();
    app = await serve(newFile(folder));
    const source = { input: Readable.from(lines.map((line) => Buffer.from(line))), size: 0 };
    const counts = await importFile(app.store, source, { onConflict: 'error' });
    assert.deepEqual(counts, { created: lines.length, updated: 0, skipped: 0, refused: 0 });
    const tools = model.living().map((tool) => {
      const { calls, successes, us } = model.totals(tool);
      const recent = tool.recent.map(({ timestamp, us, success }, index) => {
        return { timestamp, us, success, order: -1 - index };
      });
      return { ...tool, base: { calls, successes, us }, recent };
    });
    model = createModel(tools);
  }

  async function restart(): Promise<void> {
    await app.close();
    app = await serve(app.file);
  }

  async function doStep(step: Step): Promise<void> {
    if (step.kind === 'register') await register(step);
    else if (step.kind === 'record') await record(step);
    else if (step.kind === 'bulk') await reportTogether([step]);
    else if (step.kind === 'together') {
      // In one format: of those that arrive together, streams are read later.
      await reportTogether(step.reports.map((plan) => ({ ...plan, format: 'json' })));
    } else if (step.kind === 'burst') await burst(step);
    else if (step.kind === 'update') await update(step);
    else if (step.kind === 'remove') await remove(step.tool);
    else if (step.kind === 'wait') clock.forward(step.ms);
    else if (step.kind === 'expire') await expire();
    else if (step.kind === 'void') await voidCalls(step);
    else if (step.kind === 'baseline') await importBaseline(step);
    else if (step.kind === 'move') await move();
    else if (step.kind === 'restart') await restart();
    else await look(step.picks);
    await compareList(app, model);
  }

  function look(picks: number): Promise<void> {
    return compareAll(app, model, clock.now(), picks);
  }

  return { doStep, look, store: () => app.store, close: () => app.close() };
}

/** '' is none. */
function labelled(what: 'category' | 'server', numbers: { [key: string]: unknown }): string {
  return numbers[what] === 0 ? '' : `${what} ${numbers[what]}`;
}

function givenCall(plan: CallPlan, now: number): GivenCall {
  const exact = now - plan.age;
  const timestamp = plan.isWhole ? exact - (exact % HOUR) : exact;
  const { ms, success, error, caller, call_id } = plan;
  return {
    timestamp: plan.stamp === 'none' ? now : timestamp,
    ms,
    success,
    error,
    caller,
    call_id,
  };
}

function wireCall({ stamp, ms, success, error, caller, call_id }: CallPlan, given?: GivenCall) {
  const time = given?.timestamp ?? 0;
  const text = new Date(stamp === 'offset' ? time + 2 * HOUR : time).toISOString();
  const zone = { none: '', utc: 'Z', offset: '+02:00', nanos: '999999Z' }[stamp];
  const timestamp = stamp === 'none' ? undefined : text.replace('Z', zone);
  return { timestamp, execution_time_ms: ms, success, error, caller, call_id };
}
