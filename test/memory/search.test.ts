import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { recallContext } from '../../src/memory/context.ts';
import { estimateTokens } from '../../src/memory/estimate-tokens.ts';
import { explainMemory } from '../../src/memory/explain.ts';
import { recall, searchMemory } from '../../src/memory/search.ts';
import type { Store } from '../../src/store/store.ts';
import { ANNA, keep, startStore } from './people.ts';

async function found(store: Store, query: string): Promise<string[]> {
  const { hits } = await searchMemory(store, ANNA, { query });
  return hits.map(({ content }) => content);
}

test('quoted phrases and names of code must be there as they are', async (t) => {
  const store = startStore(t);
  await keep(store, 'The fallback of identity tokens is set in auth_config.yaml');
  await keep(store, 'The identity fallback is set in auth config');
  assert.deepEqual(await found(store, '"identity fallback"'), [
    'The identity fallback is set in auth config',
  ]);
  assert.deepEqual(await found(store, 'identity auth_config.yaml'), [
    'The fallback of identity tokens is set in auth_config.yaml',
  ]);
  assert.deepEqual(await found(store, 'identity auth_conf'), []);
});

test('an identifier is found by its parts and as a whole', async (t) => {
  const store = startStore(t);
  await keep(store, 'We keep issues in GitHub');
  for (const query of ['GitHub', 'github', 'issues github']) {
    assert.deepEqual(await found(store, query), ['We keep issues in GitHub'], query);
  }
});

test('words of the query that are rare weigh more', async (t) => {
  const store = startStore(t);
  for (let at = 0; at < 20; at += 1) await keep(store, `The project has a plan no ${at}`);
  await keep(store, 'Zanzibar is the next stop');
  await keep(store, 'The project is about something else');
  assert.deepEqual(await found(store, 'zanzibar project'), ['Zanzibar is the next stop']);
});

test('working memories come first only where both answer equally well', async (t) => {
  const store = startStore(t);
  await keep(store, 'Coffee at nine', { memory_type: 'semantic', path: 'a' });
  await keep(store, 'Coffee at nine', { memory_type: 'working', path: 'b' });
  await keep(store, 'Black coffee beans', { memory_type: 'semantic' });
  const order = async (query: string, prefer_working: boolean) => {
    const { hits } = await recall(store, ANNA, { query, prefer_working });
    return hits.map(({ memory_type, content }) => `${memory_type} ${content}`);
  };
  const [first, second] = await order('coffee at nine', true);
  assert.deepEqual([first, second], ['working Coffee at nine', 'semantic Coffee at nine']);
  const better = await order('black coffee', true);
  assert.equal(better[0], 'semantic Black coffee beans');
});

test('forgiving search finds other forms and slips, the strict one does not', async (t) => {
  const store = startStore(t);
  await keep(store, 'Jon got mentored by a founder');
  for (const query of ['mentorship', 'mentoerd']) {
    assert.deepEqual(await found(store, query), [], query);
    const { hits } = await recall(store, ANNA, { query });
    assert.equal(hits.length, 1, query);
  }
});

test('a pack never exceeds its budget, is whole memories, and counts what is left out', async (t) => {
  const store = startStore(t);
  const texts = ['coffee '.repeat(40), 'coffee 腾讯云部署'.repeat(9), 'coffee', 'black coffee pot'];
  for (const text of texts) await keep(store, text);
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 200 }),
      fc.integer({ min: 1, max: 5 }),
      async (max_tokens, max_items) => {
        const pack = await recallContext(store, ANNA, { query: 'coffee', max_tokens, max_items });
        assert.ok(estimateTokens(pack.context_text) <= max_tokens);
        assert.ok(pack.items.length <= max_items);
        assert.equal(pack.items.length + pack.omitted, texts.length);
        for (const [at, { content, truncated }] of pack.items.entries()) {
          assert.ok(pack.context_text.includes(content));
          if (truncated) assert.equal(at, 0);
          else assert.ok(texts.includes(content));
        }
      },
    ),
    { numRuns: 60 },
  );
});

test('an explanation says which words are there, and whether that is enough', async (t) => {
  const store = startStore(t);
  const { reference } = await keep(store, 'Anna: the token has an identity');
  await keep(store, 'Something else about fallbacks');
  const { explanation, score } = await explainMemory(store, ANNA, reference, 'token identity anna');
  assert.ok(score && score > 0);
  assert.deepEqual(
    explanation?.words.map(({ word, found, in_label }) => [word, found, in_label]),
    [
      ['token', true, false],
      ['identity', true, false],
      ['anna', true, true],
    ],
  );
  assert.equal(explanation?.answers, true);
  const none = await explainMemory(store, ANNA, reference, 'elephant');
  assert.equal(none.explanation, undefined);
});
