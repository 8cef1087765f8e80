import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { METHODS } from 'node:http';
import { type TestContext, test } from 'node:test';
import { BASE, startApp, type TestApp } from '../helper.ts';
import { failureOf } from '../http/failure.ts';
import { parseExposition, sampleOf } from './exposition.ts';

const REQUESTS = 'toolcrib_http_request_duration_seconds';
const CALLS = 'toolcrib_calls_total';

async function scrape({ inject }: Pick<TestApp, 'inject'>) {
  const answer = await inject({ url: '/metrics' });
  assert.equal(answer.statusCode, 200);
  return parseExposition(answer.payload);
}

/** An application with the tool `one`. */
async function startWithTool(t: TestContext) {
  const started = await startApp(t);
  const tool = { name: 'one', description: 'The one', parameters: {} };
  const answer = await started.send('POST', '/tools', { tools: [tool] });
  assert.equal(answer.statusCode, 201, answer.payload);
  return started;
}

const call = { name: 'one', execution_time_ms: 20, success: true };

test('metrics are text of Prometheus, also by HEAD', async (t) => {
  const { inject } = await startApp(t);
  const answer = await inject({ url: '/metrics' });
  assert.equal(answer.headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8');
  parseExposition(answer.payload);
  const head = await inject({ method: 'HEAD', url: '/metrics' });
  assert.deepEqual([head.statusCode, head.payload], [200, '']);
  assert.equal(head.headers['content-type'], answer.headers['content-type']);
  const post = await inject({ method: 'POST', url: '/metrics' });
  failureOf(post, 'MethodNotAllowedError');
  assert.equal(post.headers.allow, 'GET, HEAD');
});

test('metrics need the scope admin, unless a setting opens them', async (t) => {
  const { app, addUser } = await startApp(t);
  failureOf(await app.inject('/metrics'), 'AuthenticationError');
  for (const [scope, status] of [
    ['usage:read', 403],
    ['admin', 200],
  ] as const) {
    const headers = { authorization: await addUser(`only-${scope.replace(':', '-')}`, [scope]) };
    assert.equal((await app.inject({ url: '/metrics', headers })).statusCode, status);
  }
  const open = await startApp(t, { TOOLCRIB_METRICS_OPEN: 'true' });
  assert.equal((await open.app.inject('/metrics')).statusCode, 200);
  failureOf(await open.app.inject(`${BASE}/tools`), 'AuthenticationError');
});

test('requests are counted by method, pattern of the route and status, exactly', async (t) => {
  const started = await startApp(t);
  for (let at = 0; at < 3; at++) await started.get(`/tools?size=${at + 1}`);
  for (let at = 0; at < 2; at++) await started.get(`/tools/tool-${at}`);
  await started.app.inject(`${BASE}/tools`);
  await started.get('/nothing/here');
  const families = await scrape(started);
  const count = (method: string, route: string, status: string) =>
    sampleOf(families, `${REQUESTS}_count`, { method, route, status });
  assert.equal(count('GET', `${BASE}/tools`, '200'), 3);
  assert.equal(count('GET', `${BASE}/tools/:tool_id`, '404'), 2);
  assert.equal(count('GET', `${BASE}/tools`, '401'), 1);
  assert.equal(count('GET', 'unknown', '404'), 1);
  const counts = families.get(REQUESTS)?.samples.filter(({ name }) => name.endsWith('_count'));
  assert.equal(counts?.length, 4);
});

test('calls are counted by their outcome, and their times and commits with them', async (t) => {
  const started = await startWithTool(t);
  const zero = await scrape(started);
  assert.equal(sampleOf(zero, CALLS, { outcome: 'success' }), 0);
  assert.equal(sampleOf(zero, CALLS, { outcome: 'refused', reason: 'unknown_tool' }), 0);
  const calls = [
    call,
    { ...call, execution_time_ms: 480 },
    { ...call, success: false },
    { ...call, call_id: 'a' },
    { ...call, call_id: 'a' },
    { ...call, name: 'none' },
    { ...call, timestamp: '2001-01-01T00:00:00Z' },
    { ...call, timestamp: '2999-01-01T00:00:00Z' },
  ];
  const answer = await started.send('POST', '/calls', { calls });
  assert.equal(answer.statusCode, 201, answer.payload);
  const lines = await started.inject({
    method: 'POST',
    url: `${BASE}/calls`,
    headers: { 'content-type': 'application/x-ndjson' },
    payload: `${JSON.stringify(call)}\nnothing\n{}\n`,
  });
  assert.equal(lines.statusCode, 201, lines.payload);
  const families = await scrape(started);
  const shown = families
    .get(CALLS)
    ?.samples.map(({ labels, value }) => [
      [labels['outcome'], labels['reason']].filter(Boolean).join(' '),
      value,
    ]);
  assert.deepEqual(Object.fromEntries(shown ?? []), {
    success: 4,
    failure: 1,
    duplicate: 1,
    'refused unknown_tool': 1,
    'refused too_old': 1,
    'refused in_future': 1,
    'refused invalid': 2,
  });
  assert.equal(sampleOf(families, 'toolcrib_call_execution_seconds_count'), 5);
  const seconds = sampleOf(families, 'toolcrib_call_execution_seconds_sum') ?? 0;
  assert.ok(Math.abs(seconds - 0.56) < 1e-9, `${seconds}`);
  assert.equal(sampleOf(families, 'toolcrib_commit_calls_count'), 2);
  assert.equal(sampleOf(families, 'toolcrib_commit_calls_sum'), 9);
  assert.equal(sampleOf(families, 'toolcrib_commit_duration_seconds_count'), 2);
  assert.equal(sampleOf(families, 'toolcrib_calls_waiting'), 0);
});

test('labels stay bounded under 1,000 paths and every method', async (t) => {
  const started = await startApp(t);
  const methods = METHODS.filter((method) => method !== 'CONNECT');
  for (let at = 0; at < 1_000; at++) {
    const path = [`/x${at}`, `${BASE}/tools/tool-${at}`, `${BASE}/tools/t${at}/calls`][at % 3];
    const method = methods[at % methods.length] as 'GET';
    await started.inject({ method, url: `${path}?a${at}=${at}` });
  }
  const samples = (await scrape(started)).get(REQUESTS)?.samples ?? [];
  const values = (label: string) => [...new Set(samples.map(({ labels }) => labels[label]))].sort();
  assert.deepEqual(values('method'), ['DELETE', 'GET', 'HEAD', 'POST', 'PUT', 'other']);
  assert.deepEqual(values('route'), [
    `${BASE}/tools/:tool_id`,
    `${BASE}/tools/:tool_id/calls`,
    'unknown',
  ]);
  const counts = samples.filter(({ name }) => name.endsWith('_count'));
  assert.equal(
    counts.reduce((sum, { value }) => sum + value, 0),
    1_000,
  );
  assert.ok(counts.length <= 6 * 3 * 4, `${counts.length}`);
});

test('the store, the build and the process tell of themselves', async (t) => {
  const started = await startWithTool(t);
  const families = await scrape(started);
  assert.equal(sampleOf(families, 'toolcrib_tools'), 1);
  assert.ok((sampleOf(families, 'toolcrib_store_file_bytes') ?? 0) > 0);
  assert.ok((sampleOf(families, 'toolcrib_store_wal_bytes') ?? 0) > 0);
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  const build = { version, node_version: process.version };
  assert.equal(sampleOf(families, 'toolcrib_build_info', build), 1);
  for (const name of [
    'process_cpu_seconds_total',
    'process_resident_memory_bytes',
    'nodejs_eventloop_lag_p99_seconds',
  ]) {
    assert.ok(sampleOf(families, name) !== undefined, name);
  }
});

test('metrics answer though the store does not', async (t) => {
  const started = await startApp(t, { TOOLCRIB_METRICS_OPEN: 'true' });
  started.store.close();
  const families = await scrape(started);
  assert.equal(sampleOf(families, 'toolcrib_tools'), undefined);
  assert.ok((sampleOf(families, 'toolcrib_store_file_bytes') ?? 0) > 0);
});

test('every scrape under load is whole, and the last one counts all', async (t) => {
  const started = await startWithTool(t);
  const work = Array.from({ length: 100 }, () =>
    started.send('POST', '/calls', { calls: [call, call] }),
  );
  const scrapes = await Promise.all(Array.from({ length: 10 }, () => scrape(started)));
  for (const families of scrapes) {
    assert.ok((sampleOf(families, CALLS, { outcome: 'success' }) ?? -1) <= 200);
  }
  for (const { statusCode } of await Promise.all(work)) assert.equal(statusCode, 201);
  const families = await scrape(started);
  assert.equal(sampleOf(families, CALLS, { outcome: 'success' }), 200);
  assert.equal(sampleOf(families, 'toolcrib_commit_calls_sum'), 200);
});

test('applications in one process count for themselves', async (t) => {
  const [one, other] = [await startWithTool(t), await startWithTool(t)];
  await Promise.all([
    one.send('POST', '/calls', { calls: [call] }),
    other.send('POST', '/calls', { calls: [call, call] }),
  ]);
  const success = { outcome: 'success' };
  assert.equal(sampleOf(await scrape(one), CALLS, success), 1);
  await one.app.close();
  assert.equal(sampleOf(await scrape(other), CALLS, success), 2);
});

test('every metric of ours is in the reference, and those that the README names exist', async (t) => {
  const families = await scrape(await startApp(t));
  const ours = [...families.keys()].filter((name) => name.startsWith('toolcrib_'));
  const reference = readFileSync('docs/reference.md', 'utf8');
  const rows = [...reference.matchAll(/^\| `(toolcrib_\w+)` \| (\w+) \| .* \| (.*) \|$/gm)];
  assert.deepEqual(rows.map(([, name]) => name).sort(), ours.sort());
  for (const [, name = '', type, help] of rows) {
    assert.deepEqual([families.get(name)?.type, families.get(name)?.help], [type, help]);
  }
  const named = readFileSync('README.md', 'utf8').match(/\btoolcrib_\w+/g) ?? [];
  assert.ok(named.length >= 4);
  for (const name of named) {
    assert.ok(ours.includes(name.replace(/_(bucket|sum|count)$/, '')), name);
  }
});
