import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { bootstrap } from '../../bench/relevance/bootstrap.ts';
import { ENGINES } from '../../bench/relevance/engines.ts';
import { evaluate } from '../../bench/relevance/evaluate.ts';
import { type Answer, measure } from '../../bench/relevance/measures.ts';
import { readSets } from '../../bench/relevance/sets.ts';
import { temporaryFolder } from '../helper.ts';

function answer(grades: Record<string, number>, ...names: string[]): Answer {
  return { query: { id: 'q', text: '', grades: new Map(Object.entries(grades)) }, names, ms: 1 };
}

test('the measures are those of the textbooks', () => {
  const perfect = measure([answer({ a: 2, b: 1 }, 'a', 'b', 'c')]);
  assert.deepEqual(perfect, {
    ...{ ndcg10: 1, recall1: 0.5, recall5: 1, recall10: 1, mrr: 1, empty: 0, p50: 1, p95: 1 },
  });
  const second = measure([answer({ a: 1 }, 'x', 'a')]);
  assert.equal(second.ndcg10, 1 / Math.log2(3));
  assert.equal(second.mrr, 0.5);
  assert.equal(measure([answer({ a: 1 }), answer({ a: 1 }, 'a')]).empty, 0.5);
  const eleventh = measure([answer({ a: 1 }, ...'bcdefghijk'.split(''), 'a')]);
  assert.deepEqual([eleventh.ndcg10, eleventh.recall10, eleventh.mrr], [0, 0, 1 / 11]);
});

test('the bounds of a bootstrap lie around the mean', () => {
  const { mean, low, high } = bootstrap([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  assert.equal(mean, 5.5);
  assert.ok(low > 3 && low < 5 && high > 6 && high < 8);
});

test('a set goes through registration and is searched by every engine', async (t) => {
  const folder = join(temporaryFolder(t), 'set');
  mkdirSync(folder);
  const tools = [
    {
      id: 'one/read',
      name: 'read',
      description: 'Reads a file',
      tags: ['', 'disk'],
      category: null,
    },
    { id: 'two:read', name: 'read', description: 'Reads a letter', category: 'mail' },
    {
      id: 'weather now',
      name: 'weather now',
      description: '',
      parameters: {
        type: 'dict',
        properties: { town: { type: 'tuple', description: 'Where', exclusiveMinimum: true } },
      },
    },
  ];
  const lines = (items: readonly object[]) => items.map((item) => JSON.stringify(item)).join('\n');
  writeFileSync(join(folder, 'tools.jsonl'), lines(tools));
  writeFileSync(
    join(folder, 'queries.jsonl'),
    lines([
      { id: 'a', text: '"letter" -OR' },
      { id: 'b', text: 'unjudged' },
    ]),
  );
  writeFileSync(join(folder, 'qrels.tsv'), 'a\ttwo:read\t1\na\tno such tool\t1\n');
  const [set] = readSets(join(folder, '..'));
  assert.ok(set);
  assert.deepEqual(
    set.tools.map(({ name, server }) => [name, server]),
    [
      ['read', 'one'],
      ['read_', 'two'],
      ['weather_now', undefined],
    ],
  );
  assert.deepEqual(set.tools[2]?.input_schema, {
    type: 'object',
    properties: { town: { type: 'array', description: 'Where' } },
  });
  for (const [name, start] of Object.entries(ENGINES)) {
    const [result, ...others] = await evaluate(start, set);
    assert.deepEqual(others, []);
    // The whole text stands in no tool.
    assert.deepEqual(result?.names, name === 'like' ? [] : ['read_'], name);
  }
});
