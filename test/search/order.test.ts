import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fold } from '../../src/search/fold.ts';
import { fuse } from '../../src/search/fusion.ts';
import { parseQuery } from '../../src/search/grammar.ts';
import { byScore, firstOf } from '../../src/search/order.ts';
import { rank } from '../../src/search/relevance.ts';
import { createSearchIndex } from '../../src/search/search-index.ts';
import { encodeToolWords } from '../../src/search/tool-words.ts';
import { createVectorIndex, encodeVector } from '../../src/search/vectors.ts';

const WORDS = ['read', 'write', 'file', 'files', 'mail', 'send', 'weather', 'pdf', 'the', '天気'];
const tool = fc.record({
  name: fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 }),
  description: fc.array(fc.constantFrom(...WORDS), { maxLength: 12 }),
});

function toIndexed(id: number, words: { name: string[]; description: string[] }) {
  const name = `${words.name.join('_')}_${id}`;
  const description = words.description.join(' ');
  return {
    id,
    name: Buffer.from(name),
    texts: [fold(name), fold(description)].map((text) => Buffer.from(text)),
    labels: [],
    words: encodeToolWords({ name, title: '', labels: [], description, parameters: [] }),
  };
}

function ranking(index: ReturnType<typeof createSearchIndex>, text: string): [number, number][] {
  const parsed = parseQuery(text, { sentence: true });
  assert.ok('query' in parsed);
  const { slots, scores } = rank(index, parsed.query, index.live);
  return firstOf(slots, 1_000, (a, b) => byScore(index, scores, a, b)).map((slot) => [
    index.idOf(slot),
    Math.round((scores[slot] as number) * 1e9),
  ]);
}

test('a ranking is the same whatever way the tools came and went', () => {
  fc.assert(
    fc.property(
      fc.array(tool, { minLength: 1, maxLength: 25 }),
      fc.array(fc.nat(24), { maxLength: 20 }),
      fc.array(fc.constantFrom(...WORDS, 'fiel', 'writ', '"read file"', '-mail'), {
        minLength: 1,
        maxLength: 4,
      }),
      (tools, changes, words) => {
        const fresh = createSearchIndex();
        for (const [id, each] of tools.entries()) fresh.put(toIndexed(id, each));
        fresh.seal();
        const worn = createSearchIndex(100);
        for (const [id, each] of [...tools.entries()].reverse()) worn.put(toIndexed(id, each));
        worn.seal();
        for (const at of changes) {
          const id = at % tools.length;
          worn.put(toIndexed(id, { name: ['pdf'], description: ['weather', 'mail'] }));
          worn.remove(id + 1_000);
        }
        for (const at of changes) {
          const id = at % tools.length;
          worn.put(toIndexed(id, tools[id] as (typeof tools)[number]));
        }
        worn.put(toIndexed(99, { name: ['read'], description: ['read', 'gone'] }));
        worn.remove(99);
        assert.deepEqual(ranking(worn, words.join(' ')), ranking(fresh, words.join(' ')));
      },
    ),
    { numRuns: 300 },
  );
});

test('the first of many are those of a whole sort', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(50), { maxLength: 2_000 }), fc.nat(60), (numbers, count) => {
      const compare = (a: number, b: number) => a - b;
      assert.deepEqual(
        firstOf(numbers, count, compare),
        [...numbers].sort(compare).slice(0, count),
      );
    }),
    { numRuns: 200 },
  );
});

test('fusion puts first what is high in both lists, and keeps what a search names', () => {
  const scores = Float64Array.of(0.95, 0.7, 0.6, 0.5, 0, 0.1);
  const ranked = { slots: [0, 1, 2, 3, 5], scores, words: [] };
  const near = [2, 4, 0].map((slot) => ({ slot, nearness: 1 }));
  const fused = fuse(ranked, [0, 1, 2, 3], near);
  const order = [...fused.slots].sort(
    (a, b) => (fused.scores[b] as number) - (fused.scores[a] as number),
  );
  assert.deepEqual(order.slice(0, 3), [0, 2, 1]);
  assert.deepEqual([...order].sort(), [0, 1, 2, 3, 4, 5]);
  assert.equal(order.at(-1), 5);
  assert.equal(fused.scores[0], 0.95);
  assert.ok(order.every((slot) => (fused.scores[slot] as number) > 0));
});

test('the nearest vectors are those with the smallest angle', () => {
  const vectors = createVectorIndex();
  const given = [
    [1, 0, 0],
    [10, 1, 0],
    [0, 1, 0],
    [-1, 0, 0],
    [1, 1],
  ];
  for (const [slot, values] of given.entries()) vectors.add(slot, encodeVector(values));
  const among = Uint32Array.of(0b11111);
  const near = vectors.nearest(encodeVector([0.001, 0, 0]), among, 3);
  assert.deepEqual(
    near.map(({ slot }) => slot),
    [0, 1, 2],
  );
  assert.ok(Math.abs((near[0]?.nearness ?? 0) - 1) < 1e-6);
  assert.ok(Math.abs((near[1]?.nearness ?? 0) - 10 / Math.sqrt(101)) < 0.01);
  assert.deepEqual(
    vectors.nearest(encodeVector([1, 0, 0]), Uint32Array.of(0b100), 3).map(({ slot }) => slot),
    [2],
  );
  assert.throws(() => encodeVector([0, 0]), /without a direction/);
});
