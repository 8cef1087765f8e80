import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { startLoad } from './load.ts';
import { startServer, stop } from './processes.ts';

const ROUNDS = 20;

test(`SIGTERM under load: ${ROUNDS} of ${ROUNDS} clean within 5 s`, {
  timeout: 120_000,
}, async (t) => {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const server = await startServer(t, { empty: true });
    const load = await startLoad(server.port);
    const stopped = stop(server);
    await delay(100);
    const statuses = await load.finishSlow();
    assert.deepEqual(new Set(statuses), new Set([201]), 'begun before the signal, so answered');
    times.push(await stopped);
    const { answers, cut } = await load.quick;
    assert.ok(answers > 0);
    assert.equal(cut, 0, 'answers that broke off');
  }
  const slowest = Math.max(...times);
  assert.ok(slowest < 5_000, `${slowest} ms`);
  t.diagnostic(`slowest of ${ROUNDS} stops: ${Math.round(slowest)} ms`);
});
