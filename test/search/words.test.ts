import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { stem } from '../../src/search/stem.ts';
import { encodeToolWords, readToolWords } from '../../src/search/tool-words.ts';
import { toWords } from '../../src/search/words.ts';

describe('words of a text', () => {
  const table: [string, string[]][] = [
    ['create_issue-comment.now', ['create', 'issue', 'comment', 'now']],
    ['createIssue', ['[createissue]', 'create', 'issue']],
    ['HTTPServer', ['[httpserver]', 'http', 'server']],
    ['GitHub', ['[github]', 'git', 'hub']],
    ['s3 base64 utf-8', ['s3', 'base64', 'utf', '8']],
    ["don't", ['don', 't']],
    ['Größe ÉTÉ ﬁle', ['grosse', 'ete', 'file']],
    ['天気予報', ['天気', '気予', '予報']],
    ['天', ['天']],
    ['GPT的接口v2', ['[gpt的接口v2]', 'gpt', '的接', '接口', 'v2'].slice(1)],
    ['데이터 검색', ['데이', '이터', '검색']],
    ['مرحبا, שלום', ['مرحبا', 'שלום']],
    ['👩‍👧 ok', ['👩', '👧', 'ok']],
    ['', []],
    ['- % _ ?', []],
    ['x'.repeat(65), []],
  ];
  for (const [text, words] of table) {
    test(`${JSON.stringify(text.slice(0, 30))} has ${words.join(' ') || 'none'}`, () => {
      const found = toWords(text).map(({ text: word, whole }) => (whole ? `[${word}]` : word));
      assert.deepEqual(found, words);
    });
  }
});

test('words of ASCII are the same as beside other letters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme-ascii', maxLength: 40 }), (text) => {
      assert.deepEqual(toWords(`${text} é`).slice(0, -1), toWords(text));
    }),
    { numRuns: 2_000 },
  );
});

test('forms of a word have one stem', () => {
  for (const forms of [
    'create creates created creating creation',
    'query queries querying',
    'file files',
    'analyze analysis analyses',
    'summarize summary summarization',
  ]) {
    const stems = new Set(forms.split(' ').map(stem));
    assert.equal(stems.size, 1, `${forms}: ${[...stems]}`);
  }
  for (const word of ['天気', 's3', 'größe', 'constructor', '__proto__']) {
    assert.equal(stem(word).startsWith(word.slice(0, 2)), true, word);
  }
});

test('the words of a tool are kept with their counts', () => {
  const bytes = encodeToolWords({
    name: 'read_file',
    title: '',
    labels: ['disk'],
    description: `file ${'word '.repeat(40)}`,
    parameters: ['path', 'of the file'],
  });
  assert.deepEqual([...bytes.subarray(0, 5)], [2, 0, 1, 41, 4]);
  const counts: Record<string, number[]> = {};
  readToolWords(bytes, (from, to, count) => {
    const fields = [count & 3, (count >> 2) & 3, (count >> 4) & 3, (count >> 6) & 31, count >> 11];
    counts[Buffer.from(bytes.subarray(from, to)).toString()] = fields;
  });
  assert.deepEqual(counts, {
    read: [1, 0, 0, 0, 0],
    file: [1, 0, 0, 1, 1],
    disk: [0, 0, 1, 0, 0],
    word: [0, 0, 0, 31, 0],
    path: [0, 0, 0, 0, 1],
    of: [0, 0, 0, 0, 1],
    the: [0, 0, 0, 0, 1],
  });
});
