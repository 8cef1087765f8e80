import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { forget, updateMemory } from '../../src/memory/change.ts';
import { remember } from '../../src/memory/remember.ts';
import type { Store } from '../../src/store/store.ts';
import { ANNA, keep, startStore } from './people.ts';

/** Files of the store that have the text, whatever its case. */
function filesWith(store: Store, text: string): string[] {
  const folder = dirname(store.file);
  return readdirSync(folder).filter((name) =>
    readFileSync(join(folder, name)).toString('latin1').toLowerCase().includes(text),
  );
}

/** Enough around it that pages split and merge, and words are put into their slices. */
async function fill(store: Store, from: number, count: number): Promise<string[]> {
  const memories = await Promise.all(
    Array.from({ length: count }, (_, at) => {
      const number = from + at;
      const content = `Fact ${number} about ${(number * 7919).toString(36)} and ${'filler '.repeat(number % 40)}`;
      return keep(store, content);
    }),
  );
  return memories.map(({ reference }) => reference);
}

for (const mode of ['hard', 'redact'] as const) {
  test(`after ${mode} and a checkpoint the text is in no file of the store`, async (t) => {
    const store = startStore(t);
    await fill(store, 0, 300);
    const given = {
      content: 'The zanzibarqx of Anna is secret',
      path: 'notes',
      metadata: { also: 'zanzibarqx' },
      idempotency_key: 'zanzibarqx',
      dedupe: false,
    };
    const { memory } = await remember(store, ANNA, given, 'mask');
    const { reference } = memory;
    const others = await fill(store, 300, 300);
    await updateMemory(store, ANNA, reference, { content: 'Now zanzibarqx twice' }, 'mask');
    const metadata = { big: 'x'.repeat(9_000) };
    await updateMemory(store, ANNA, reference, { metadata }, 'mask');
    for (const one of others.slice(0, 150)) await forget(store, ANNA, one, { mode: 'hard' });
    assert.notDeepEqual(filesWith(store, 'zanzibarqx'), []);

    await forget(store, ANNA, reference, { mode });
    assert.equal(await store.memories.sweep(), true);
    assert.deepEqual(filesWith(store, 'zanzibarqx'), []);
  });
}

test('the audit log knows what was done to which memory, and no content', async (t) => {
  const store = startStore(t);
  const { reference } = await keep(store, 'The elephant is grey');
  await updateMemory(store, ANNA, reference, { content: 'The elephant is pink' }, 'mask');
  await forget(store, ANNA, reference);
  await forget(store, ANNA, reference, { mode: 'hard' });
  const rows = store.db.raw.prepare('select * from audit_log order by id').all() as {
    action: string;
    subject: string;
    principal: string;
  }[];
  assert.deepEqual(
    rows.map(({ action }) => action),
    ['memory.remember', 'memory.update', 'memory.forget', 'memory.forget'],
  );
  assert.ok(rows.every(({ subject, principal }) => subject === reference && principal === 'anna'));
  assert.doesNotMatch(JSON.stringify(rows), /elephant/);
});

test('what expired is in no file once it was removed', async (t) => {
  const store = startStore(t);
  const expires_at = new Date(Date.now() + 60_000).toISOString();
  await keep(store, 'The zanzibarqx is near', { expires_at });
  await store.memories.expireSome(Date.parse(expires_at));
  await store.memories.sweep();
  assert.deepEqual(filesWith(store, 'zanzibarqx'), []);
});
