import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { emptyBits, forEachBit, setBit } from '../../src/search/bits.ts';
import { fold } from '../../src/search/fold.ts';
import { matches, parseQuery } from '../../src/search/grammar.ts';
import { createTextIndex } from '../../src/search/text-index.ts';

/** Pieces of many scripts, of which tools and queries are made, so that they often meet. */
const PIECES = [
  ...['a', 'e', 'ab', 'get', 'list', 'issue', 'Größe', 'ÉTÉ', 'İstanbul', 'ﬁle', 'x_y', 't%a'],
  ...['天', '天气', '気が', 'が', 'か', 'ｶﾞ', '데이터', 'поиск', 'Йод', 'Σίσυφος', 'שלום', 'مرحبا'],
  ...['👩‍👧', '😀', '🇩🇪', '100', '%', '_', '*', '.', "'", '(', '\0', 'ﷺ', '¨', '\u2028', '\ud800'],
];
const piece = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...PIECES) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 4 }) },
);
const space = fc.constantFrom(' ', ' ', ' ', '', '  ', '\n', '\t', '\r\n\n', '\u00a0', '\u3000');
const text = fc
  .array(fc.tuple(piece, space), { maxLength: 12 })
  .map((parts) => parts.flat().join(''));
const query = fc
  .array(
    fc.tuple(
      fc.constantFrom('', '', '', '-', '"', '-"', 'OR ', 'OR -'),
      piece,
      fc.constantFrom('', '', '"', ' '),
      fc.constantFrom(' ', ' ', '  ', '\u3000'),
    ),
    { minLength: 1, maxLength: 6 },
  )
  .map((parts) => parts.flat().join(''));

const bytes = (value: string) => Buffer.from(fold(value));

function buildIndex(tools: readonly string[][], sealAfter = tools.length) {
  const index = createTextIndex();
  const live = emptyBits(tools.length);
  for (const [slot, fields] of tools.entries()) {
    if (slot === sealAfter) index.seal();
    index.add(slot, fields.map(bytes));
    setBit(live, slot);
  }
  if (sealAfter >= tools.length) index.seal();
  return { index, live, folded: tools.map((fields) => fields.map(fold)) };
}

function findIn(
  tools: readonly string[][],
  raw: string,
  { index, live, folded } = buildIndex(tools),
) {
  const parsed = parseQuery(raw);
  if ('reason' in parsed) return undefined;
  const found: number[] = [];
  forEachBit(index.find(parsed.query, live), (slot) => found.push(slot));
  const expected = folded.flatMap((fields, slot) => (matches(parsed.query, fields) ? [slot] : []));
  return { found, expected };
}

test('5,000 random queries over texts of many scripts find what plain code finds', () => {
  let compared = 0;
  let hits = 0;
  fc.assert(
    fc.property(
      fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 30 }),
      fc.array(query, { minLength: 10, maxLength: 10 }),
      fc.nat(30),
      (tools, queries, sealAfter) => {
        const built = buildIndex(tools, sealAfter);
        for (const raw of queries) {
          const result = findIn(tools, raw, built);
          if (result === undefined) continue;
          assert.deepEqual(result.found, result.expected, JSON.stringify(raw));
          compared += 1;
          if (result.found.length > 0 && result.found.length < tools.length) hits += 1;
        }
      },
    ),
    { numRuns: 600, seed: 20261201 },
  );
  assert.ok(compared >= 5_000, `${compared} queries were compared`);
  // Else the comparison would say little.
  assert.ok(hits > compared / 6, `${hits} of ${compared} found some tools and not all`);
});

describe('more tools than are looked at one by one', () => {
  const texts = fc.sample(fc.tuple(text, text), { numRuns: 1_500, seed: 5 });
  const tools = texts.map(([name, description], at) => [
    `tool_${at} ${name}`,
    `${description} the ${at}`,
  ]);
  const words = [
    'a',
    '1',
    '天',
    'the',
    'tool_149',
    '"\nthe"',
    '" "',
    '"the 12"',
    '"e the 1"',
    '"the the"',
    '-e',
    '-"the 1"',
  ];
  for (const raw of [
    ...words,
    'a OR 天',
    '1 2 -3',
    '"  a" 1 OR -tool',
    '\0',
    '%',
    '_',
    '""',
    '-',
  ]) {
    test(`${JSON.stringify(raw)} finds what plain code finds`, () => {
      const result = findIn(tools, raw);
      assert.deepEqual(result?.found, result?.expected);
    });
  }

  const index = buildIndex(tools);

  test('any cut out of a text, in quotes, finds what plain code finds', () => {
    let hits = 0;
    for (const cut of fc.sample(fc.tuple(fc.nat(), fc.nat(), fc.nat(14)), {
      numRuns: 1_000,
      seed: 3,
    })) {
      const [tool, place, length] = cut;
      const [, description = ''] = tools[tool % tools.length] ?? [];
      const from = place % description.length;
      const raw = `"${description.slice(from, from + 2 + length)}"`;
      const result = findIn(tools, raw, index);
      assert.deepEqual(result?.found, result?.expected, JSON.stringify(raw));
      if (result?.found.length) hits += 1;
    }
    assert.ok(hits > 900, `${hits} found anything`);
  });

  test('1,000 random queries find what plain code finds', () => {
    for (const raw of fc.sample(query, { numRuns: 1_000, seed: 7 })) {
      const result = findIn(tools, raw, index);
      assert.deepEqual(result?.found, result?.expected, JSON.stringify(raw));
    }
  });
});

test('a phrase of any number of words finds what plain code finds', () => {
  const tools = Array.from({ length: 600 }, (_, at) => {
    const words = Array.from({ length: 60 }, (_, place) => `w${(at * place) % 97}`);
    return [`tool_${at}`, words.join(' ')];
  });
  const index = buildIndex(tools);
  const [, text = ''] = tools[59] ?? [];
  const words = text.split(' ');
  const phrases = [16, 17, 40, 60].map((count) => words.slice(0, count).join(' '));
  for (const phrase of [...phrases, `${phrases[3]} w1`, phrases[2]?.replace(' ', '\n')]) {
    const result = findIn(tools, `"${phrase}"`, index);
    assert.deepEqual(result?.found, result?.expected, phrase);
  }
  // Folds to 18,432 letters in 4,096 words; each as a pass over the dictionary took seconds.
  const began = performance.now();
  assert.deepEqual(findIn(tools, 'ﷺ'.repeat(1_024), index)?.found, []);
  assert.ok(performance.now() - began < 1_000);
});
