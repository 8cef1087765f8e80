import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { runCli } from '../cli/run-cli.ts';
import { temporaryFolder } from '../helper.ts';
import { startServerProcess } from '../server-process.ts';
import { namesIn } from '../store/stores.ts';

const WRITES_A_SECOND = 200;

test('20 backups beside a server under write load: each complete, writes go on', async (t) => {
  const folder = temporaryFolder(t);
  const server = await startServerProcess(t, folder);
  const large = Array.from({ length: 200 }, (_, i) => ({
    name: `large_${i}`,
    description: 'x'.repeat(16_000),
  }));
  assert.equal((await server.request('POST', '/tools', { tools: large })).status, 201);

  const acknowledged: string[] = [];
  const latencies: number[] = [];
  let going = true;
  async function write(): Promise<void> {
    for (let i = 0; going; i += 1) {
      const name = `w_${i}`;
      const start = performance.now();
      const { status } = await server.request('POST', '/tools', {
        tools: [{ name, description: '' }],
      });
      const took = performance.now() - start;
      assert.equal(status, 201);
      acknowledged.push(name);
      latencies.push(took);
      await delay(Math.max(0, 1_000 / WRITES_A_SECOND - took));
    }
  }
  const writer = write();
  for (let round = 0; round < 20; round += 1) {
    const before = [...acknowledged];
    const { code, stderr } = await runCli(folder, ['backup', `${round}.db`]);
    assert.equal(code, 0, stderr);
    const names = new Set(namesIn(join(folder, `${round}.db`)));
    assert.deepEqual(
      before.filter((name) => !names.has(name)),
      [],
    );
    const db = new Database(join(folder, `${round}.db`), { readonly: true });
    assert.equal(db.pragma('integrity_check', { simple: true }), 'ok');
    db.close();
  }
  going = false;
  await writer;
  const p99 = latencies.sort((a, b) => a - b)[Math.floor(latencies.length * 0.99)] ?? 0;
  t.diagnostic(`${acknowledged.length} writes, p99 ${p99.toFixed(1)} ms`);
  assert.ok(p99 < 250, `p99 ${p99} ms`);
  await server.kill();
});
