import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import Database from 'better-sqlite3';
import { startApp } from '../helper.ts';
import { makeStore, namesOf, register } from './stores.ts';

/** The write lock of a file, held by someone else until released. */
function holdLock(t: TestContext, file: string): () => void {
  const other = new Database(file);
  t.after(() => other.close());
  other.exec('begin exclusive');
  return () => other.exec('rollback');
}

test('while another process holds the lock reads go on, and many writes wait without stopping them', async (t) => {
  const { store, get, send } = await startApp(t);
  await get('/tools');
  const release = holdLock(t, store.file);
  const writes = Array.from({ length: 60 }, (_, i) =>
    send('POST', '/tools', { tools: [{ name: `tool_${i}`, description: '' }] }),
  );
  const reads: number[] = [];
  for (let read = 0; read < 21; read += 1) {
    const start = performance.now();
    const answer = await get(`/tools?from=${read}`);
    reads.push(performance.now() - start);
    assert.equal(answer.json().data.pagination.total, 0);
  }
  const median = reads.sort((a, b) => a - b)[10] ?? 0;
  assert.ok(median < 1_000, `the median read took ${median} ms`);
  release();
  const statuses = (await Promise.all(writes)).map(({ statusCode }) => statusCode);
  assert.deepEqual(statuses, Array(60).fill(201));
  assert.equal((await namesOf(store)).length, 60);
});

test('writes that waited are done in the order they came', async (t) => {
  const { store, file } = makeStore(t);
  const release = holdLock(t, file);
  const done: number[] = [];
  const writes = Array.from({ length: 20 }, async (_, i) => {
    await register(store, `tool_${i}`);
    done.push(i);
  });
  await new Promise(setImmediate);
  assert.deepEqual(done, []);
  release();
  await Promise.all(writes);
  assert.deepEqual(done, [...done.keys()]);
});

test('a write that fails leaves the line to the next', async (t) => {
  const { store, file } = makeStore(t);
  await register(store, 'taken');
  const release = holdLock(t, file);
  const writes = ['one', 'taken', 'two'].map((name) => register(store, name));
  release();
  const outcomes = (await Promise.allSettled(writes)).map(({ status }) => status);
  assert.deepEqual(outcomes, ['fulfilled', 'rejected', 'fulfilled']);
  assert.deepEqual(await namesOf(store), ['one', 'taken', 'two']);
});
