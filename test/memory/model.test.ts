import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { forget, restoreMemory, updateMemory } from '../../src/memory/change.ts';
import { recallContext } from '../../src/memory/context.ts';
import { recall, searchMemory } from '../../src/memory/search.ts';
import type { Store } from '../../src/store/store.ts';
import { ANNA, BERT, keep, principal, startStore } from './people.ts';

const WORDS = ['coffee', 'tea', 'elephant', 'token', 'identity', 'fallback', '腾讯云', 'müller'];
const text = fc
  .array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 6 })
  .map((words) => words.join(' '));
const step = fc.oneof(
  fc.record({ does: fc.constant('keep' as const), text }),
  fc.record({ does: fc.constantFrom('update', 'soft', 'hard', 'restore'), at: fc.nat(20), text }),
);

async function scoresOf(store: Store, by = ANNA): Promise<string> {
  const results: unknown[] = [];
  for (const query of [
    'coffee',
    'token identity',
    '腾讯云 tea müller',
    'elephant fallback coffee',
  ]) {
    for (const search of [searchMemory, recall]) {
      const result = await search(store, by, { query, limit: 50, explain: true });
      results.push({
        ...result,
        hits: result.hits
          .map(({ content, score, explanation }) => [content, score, explanation])
          .sort(),
      });
    }
  }
  return JSON.stringify(results);
}

test('after any changes a search answers as one of a store that only ever had what is left', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const store = startStore(t);
      const left: { reference: string; text: string; deleted: boolean }[] = [];
      for (const one of steps) {
        if (one.does === 'keep') {
          const { reference } = await keep(store, one.text, { dedupe: false });
          left.push({ reference, text: one.text, deleted: false });
          continue;
        }
        const at = 'at' in one ? one.at % Math.max(1, left.length) : 0;
        const memory = left[at];
        if (memory === undefined) continue;
        const { reference } = memory;
        if (one.does === 'hard') {
          await forget(store, ANNA, reference, { mode: 'hard' });
          left.splice(at, 1);
        } else if (one.does === 'restore' && memory.deleted) {
          await restoreMemory(store, ANNA, reference);
          memory.deleted = false;
        } else if (one.does === 'soft' && !memory.deleted) {
          await forget(store, ANNA, reference);
          memory.deleted = true;
        } else if (one.does === 'update' && !memory.deleted) {
          await updateMemory(store, ANNA, reference, { content: one.text }, 'mask');
          memory.text = one.text;
        }
      }
      const fresh = startStore(t);
      for (const { text, deleted } of left) {
        if (!deleted) await keep(fresh, text, { dedupe: false });
      }
      assert.equal(await scoresOf(store), await scoresOf(fresh));
    }),
    { numRuns: 25 },
  );
});

test("another's memories, and what a token may not read, move no score", async (t) => {
  const store = startStore(t);
  const narrow = principal('anna', { readPaths: ['open'] });
  for (const word of WORDS) await keep(store, `${word} and coffee`, { path: 'open' });
  const before = await scoresOf(store, narrow);
  const wide = await scoresOf(store);
  for (let at = 0; at < 30; at += 1) {
    await keep(store, `token identity fallback elephant ${at}`, {}, BERT);
  }
  assert.equal(await scoresOf(store), wide);
  for (let at = 0; at < 30; at += 1) {
    await keep(store, `token identity fallback elephant ${at}`, { path: 'closed' });
  }
  assert.equal(await scoresOf(store, narrow), before);
  assert.notEqual(await scoresOf(store), wide);
});

test('more memories than wait for the index at once are found and forgotten alike', async (t) => {
  const store = startStore(t);
  const texts = Array.from({ length: 700 }, (_, at) => `coffee number${at} of word${at % 7}`);
  const kept = await Promise.all(texts.map((one) => keep(store, one)));
  const count = async (query: string) => {
    const { items, omitted } = await recallContext(store, ANNA, { query });
    return items.length + omitted;
  };
  assert.equal(await count('coffee'), 700);
  assert.equal(await count('word3'), 100);
  const search = { query: 'coffee elephant', limit: 1 };
  assert.deepEqual(await searchMemory(store, ANNA, search), { hits: [], below_bar: 700 });
  assert.equal((await searchMemory(store, ANNA, { query: 'coffee' })).below_bar, 0);
  for (const { reference } of kept.slice(0, 350)) await forget(store, ANNA, reference);
  assert.equal(await count('coffee'), 350);
  for (const { reference } of kept.slice(0, 350)) await restoreMemory(store, ANNA, reference);
  assert.equal(await count('coffee'), 700);
  for (const { reference } of kept) await forget(store, ANNA, reference, { mode: 'hard' });
  assert.equal(await count('coffee'), 0);
  const rows = (table: string) =>
    store.db.raw.prepare(`select count(*) from ${table}`).pluck().get();
  for (const table of ['memories', 'memory_words', 'memory_words_waiting', 'memory_paths']) {
    assert.equal(rows(table), 0, table);
  }
});
