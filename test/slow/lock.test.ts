import assert from 'node:assert/strict';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { runCli } from '../cli/run-cli.ts';
import { startApp, temporaryFolder } from '../helper.ts';
import { startServerProcess } from '../server-process.ts';

const MAX_STALL_MS = 200;

test('a lock that stays held gives 503 with Retry-After in 5 s, no stall, and then it goes on', async (t) => {
  const { app, store, get, send } = await startApp(t);
  const other = new Database(store.file);
  t.after(() => other.close());
  await get('/tools');
  const register = (name: string) => send('POST', '/tools', { tools: [{ name, description: '' }] });

  other.exec('begin exclusive');
  const loop = monitorEventLoopDelay({ resolution: 5 });
  loop.enable();
  const start = performance.now();
  const writes = Array.from({ length: 50 }, (_, i) => register(`tool_${i}`));
  for (const write of writes) {
    const answer = await write;
    assert.equal(answer.statusCode, 503);
    assert.equal(answer.headers['retry-after'], '1');
    assert.equal(answer.json().error.type, 'ServiceUnavailableError');
    const { statusCode } = await get('/tools');
    assert.equal(statusCode, 200);
  }
  const seconds = (performance.now() - start) / 1_000;
  loop.disable();
  const stall = loop.max / 1e6;
  t.diagnostic(`refused after ${seconds.toFixed(2)} s, longest stall ${stall.toFixed(0)} ms`);
  assert.ok(seconds > 4.5 && seconds < 7, `${seconds} s`);
  assert.ok(stall < MAX_STALL_MS, `a stall of ${stall} ms`);
  assert.equal((await app.inject('/readyz')).statusCode, 200);

  other.exec('rollback');
  assert.equal((await register('tool')).statusCode, 201);
  assert.equal((await get('/tools')).json().data.pagination.total, 1);
});

test('two servers on one file: both write, nothing is refused, nothing is lost', async (t) => {
  const folder = temporaryFolder(t);
  const servers = [await startServerProcess(t, folder), await startServerProcess(t, folder)];
  const end = performance.now() + 10_000;
  let written = 0;
  const clients = servers.flatMap((server, which) =>
    Array.from({ length: 4 }, async (_, client) => {
      for (let i = 0; performance.now() < end; i += 1) {
        const tools = [{ name: `tool_${which}_${client}_${i}`, description: '' }];
        const { status } = await server.request('POST', '/tools', { tools });
        assert.equal(status, 201);
        written += 1;
      }
    }),
  );
  await Promise.all(clients);
  for (const server of servers) {
    const answer = await server.request('GET', '/tools?size=1');
    const { data } = (await answer.json()) as { data: { pagination: { total: number } } };
    assert.equal(data.pagination.total, written);
  }
  t.diagnostic(`${written} writes in 10 s`);
  assert.equal((await runCli(folder, ['check'])).stdout, `ok: ${written} tools\n`);
});
