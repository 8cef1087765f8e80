import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fold } from '../../src/search/fold.ts';
import { matches, parseQuery } from '../../src/search/grammar.ts';
import { startApp } from '../helper.ts';
import { failureOf } from '../http/failure.ts';
import { fillCatalogue, type GivenTool } from './fill-catalogue.ts';

const EXAMPLES: [GivenTool, string[], boolean][] = [
  [
    { name: 'document_analyzer', description: 'runs an analysis' },
    [
      'document analysis',
      'Analys',
      'DOC',
      't_a',
      'nothing OR analysis',
      '-nothing',
      'analyzer runs',
    ],
    true,
  ],
  [
    { name: 'document_analyzer', description: 'runs an analysis' },
    [
      'documents',
      '"analysis runs"',
      'document -analysis',
      't%a',
      '"analyzer runs"',
      't*a',
      '-runs',
    ],
    false,
  ],
  [
    { name: 'umlaut', description: 'Größe 100 % 天気' },
    ['GROSSE', 'größe', '100 %', '天', 'gro\u0308ße', 'ＧＲＯ', '"100 % 天"', '%'],
    true,
  ],
  [{ name: 'umlaut', description: 'Größe 100 % 天気' }, ['1000', '気天', '_', '"100 %天"'], false],
  [{ name: 'kana', description: 'が' }, ['が', 'か\u3099'], true],
  [{ name: 'kana', description: 'が' }, ['か', 'ガ'], false],
];

const REFUSED: [string, RegExp][] = [
  ['""', /^Search must have at least one search term$/],
  ['" "', /^Search must have at least one search term$/],
  ['-""', /^Search must have at least one search term$/],
  ['"', /^Search must have at least one search term$/],
  ['a'.repeat(1025), /^Search must have at most 1024 characters$/],
  ['😀'.repeat(1025), /^Search must have at most 1024 characters$/],
  [Array(33).fill('a').join(' '), /^Search must have at most 32 search terms$/],
  [Array(33).fill('-a').join(' OR '), /^Search must have at most 32 search terms$/],
];

test('search', async (t) => {
  const { store, get } = await startApp(t);
  await fillCatalogue(store, [...new Map(EXAMPLES.map(([tool]) => [tool.name, tool])).values()]);

  for (const [{ name }, searches, found] of EXAMPLES) {
    for (const search of searches) {
      await t.test(`${search} ${found ? 'finds' : 'does not find'} ${name}`, async () => {
        const answer = await get(`/tools?search=${encodeURIComponent(search)}`);
        const { tools, filters_applied } = answer.json().data;
        assert.equal(
          tools.some((tool: GivenTool) => tool.name === name),
          found,
        );
        assert.equal(filters_applied.search, search);
      });
    }
  }

  for (const [search, reason] of REFUSED) {
    await t.test(
      `${search.slice(0, 20)} … of ${[...search].length} characters is refused`,
      async () => {
        const answer = await get(`/tools?search=${encodeURIComponent(search)}`);
        const { message, details } = failureOf(answer, 'ValidationError');
        assert.equal(message, 'Invalid query parameters');
        assert.equal(details.field, 'search');
        assert.match(details.reason ?? '', reason);
      },
    );
  }

  await t.test('1,024 characters and 32 terms are taken', async () => {
    for (const search of [
      'a'.repeat(1024),
      '😀'.repeat(1024),
      Array(32).fill('a').join(' '),
      Array(32).fill('"a b"').join(' OR '),
    ]) {
      assert.equal((await get(`/tools?search=${encodeURIComponent(search)}`)).statusCode, 200);
    }
  });
});

// Pieces of several scripts, some of which fold to each other, and some that are operators elsewhere.
const PIECES = [
  ...[
    'a',
    'A',
    'b',
    'ab',
    'OR',
    'or',
    'not',
    'ß',
    'SS',
    'ö',
    'o',
    'Ö',
    'ø',
    'İ',
    'ı',
    'i',
    'ſ',
    'ς',
  ],
  ...[
    '天',
    '気',
    '天気',
    'が',
    'か',
    'カ',
    'й',
    'и',
    '한',
    'ก้',
    '😀',
    '٥',
    '５',
    'ﬁ',
    '\u0301',
    '\u200d',
  ],
  ...['%', '_', '*', '-', '--', '"', "'", '\\', '(', ')', ':', '^', '.', '?', '\0x'.slice(1)],
];
const GAPS = ['', ' ', '  ', '\t', '\u3000'];

test('any search finds exactly the tools that the grammar says', async (t) => {
  const { store, get } = await startApp(t);
  const text = (max: number) =>
    fc
      .array(fc.tuple(fc.constantFrom(...PIECES), fc.constantFrom(...GAPS)), { maxLength: max })
      .map((pairs) => pairs.flat().join(''));
  const descriptions = fc.sample(text(8), { numRuns: 200, seed: 20_240_101 });
  const tools: GivenTool[] = descriptions.map((description, at) => ({
    name: `${['a', 'b', 'ab', 'OR', 'i', 'x'][at % 6]}${['_', '.', '-'][at % 3]}${at}`,
    description,
  }));
  await fillCatalogue(store, tools);

  let some = 0;
  async function assertFound(search: string): Promise<void> {
    const answers = [0, 100].map((from) =>
      get(`/tools?size=100&from=${from}&search=${encodeURIComponent(search)}`),
    );
    const parsed = parseQuery(search);
    if (!('query' in parsed)) {
      failureOf(await (answers[0] as (typeof answers)[number]), 'ValidationError');
      return;
    }
    const expected = tools.filter(({ name, description = '' }) =>
      matches(parsed.query, [fold(name), fold(description)]),
    );
    const pages = (await Promise.all(answers)).map((answer) => answer.json().data);
    const names = pages.flatMap((data) => data.tools.map((tool: GivenTool) => tool.name));
    assert.deepEqual(new Set(names), new Set(expected.map(({ name }) => name)), search);
    assert.equal(names.length, expected.length);
    for (const data of pages) assert.equal(data.pagination.total, expected.length);
    if (expected.length > 0 && expected.length < tools.length) some += 1;
  }

  await fc.assert(fc.asyncProperty(text(6), assertFound), { numRuns: 300 });
  assert.ok(some > 60, `only ${some} searches found some tools, but not all`);
});
