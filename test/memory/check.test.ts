import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { checkStore } from '../../src/catalogue/check.ts';
import { reindexStore } from '../../src/catalogue/reindex.ts';
import { forget, updateMemory } from '../../src/memory/change.ts';
import { searchMemory } from '../../src/memory/search.ts';
import type { Store } from '../../src/store/store.ts';
import { ANNA, BERT, keep, startStore } from './people.ts';

/** More than are merged into slices at once, of two owners, with changes of every kind. */
async function fill(store: Store): Promise<void> {
  const kept = await Promise.all(
    Array.from({ length: 400 }, (_, at) =>
      keep(store, `fact ${at} of ${at % 7} and ${(at * 7919).toString(36)}`, {
        path: `notes/${at % 3}`,
      }),
    ),
  );
  for (const { reference } of kept.slice(0, 40)) await forget(store, ANNA, reference);
  for (const { reference } of kept.slice(40, 60)) {
    await forget(store, ANNA, reference, { mode: 'hard' });
  }
  for (const { reference } of kept.slice(60, 80)) {
    await updateMemory(store, ANNA, reference, { content: `changed ${reference}` }, 'mask');
  }
  await keep(store, 'What Bert knows', {}, BERT);
}

async function setUp(t: TestContext): Promise<Store> {
  const store = startStore(t);
  await fill(store);
  return store;
}

test('memories in order have no faults, and reindexing mends none', async (t) => {
  const store = await setUp(t);
  assert.deepEqual(await checkStore(store), { tools: 0, memories: 381, faults: [], count: 0 });
  assert.equal((await reindexStore(store)).owners, 0);
});

const WORDS = 'the index of words is not that of the contents';
for (const [what, damage, fault] of [
  ['a slice is lost', 'delete from memory_words where first > 0', WORDS],
  ['a word is lost', "delete from memory_words where word = 'fact'", WORDS],
  ['what waits is lost', 'delete from memory_words_waiting', WORDS],
  [
    'a slice is of another word',
    "update memory_words set word = word || 'x' where first > 0",
    WORDS,
  ],
  [
    'a record names another path',
    "update memory_words set records = cast(substr(records, 1, 4) || x'ffffffff' || substr(records, 9) as blob) where word = 'fact' and first = 0",
    WORDS,
  ],
  ['an owner has no row', "insert into memory_words values (99, 'ghost', 0, zeroblob(12))", WORDS],
  [
    'counts of paths are wrong',
    'update memory_paths set memories = memories + 1 where id = 2',
    '1 paths count other memories than there are',
  ],
  [
    'hashes and lengths are wrong',
    'update memories set content_hash = zeroblob(16) where id = 300; update memories set words = 9 where id = 301',
    '2 memories have the hash or length of another content',
  ],
] as const) {
  test(`when ${what} the check says so, and reindexing mends it`, async (t) => {
    const store = await setUp(t);
    store.db.raw.exec(damage);
    const { faults, count } = await checkStore(store);
    assert.ok(count >= 1);
    assert.ok(
      faults.some((text) => text.endsWith(fault)),
      faults.join('\n'),
    );
    assert.ok((await reindexStore(store)).owners >= 1);
    assert.equal((await checkStore(store)).count, 0);
    const query = `"fact 321 of"`;
    assert.equal((await searchMemory(store, ANNA, { query })).hits.length, 1);
  });
}

test('after any changes the index is that of the contents', async (t) => {
  const store = startStore(t);
  const word = fc.constantFrom(
    'red',
    'blue',
    'running',
    '東京都',
    'Straße',
    'the',
    'a1',
    'x'.repeat(70),
  );
  const step = fc.record({
    words: fc.array(word, { minLength: 1, maxLength: 6 }),
    at: fc.nat(),
    what: fc.nat(5),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const references: string[] = [];
      for (const { words, at, what } of steps) {
        const reference = references[at % (references.length || 1)];
        const content = `${words.join(' ')} ${at}`;
        if (what < 3 || reference === undefined) {
          references.push((await keep(store, content, { path: `p/${at % 4}` })).reference);
        } else if (what === 3) {
          await updateMemory(store, ANNA, reference, { content }, 'mask').catch(() => {});
        } else {
          const mode = what === 4 ? 'soft' : 'redact';
          await forget(store, ANNA, reference, { mode }).catch(() => {});
        }
      }
      assert.deepEqual((await checkStore(store)).faults, []);
    }),
    { numRuns: 40 },
  );
});
