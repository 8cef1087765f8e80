import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { fold } from '../../src/search/fold.ts';
import {
  MAX_QUERY_CHARACTERS,
  MAX_QUERY_TERMS,
  matches,
  parseQuery,
  type Query,
} from '../../src/search/grammar.ts';

function parse(raw: string): Query {
  const parsed = parseQuery(raw);
  assert.ok('query' in parsed, `${JSON.stringify(raw)} was refused`);
  return parsed.query;
}

function finds(raw: string, ...texts: string[]): boolean {
  return matches(parse(raw), texts.map(fold));
}

/** Branches and terms as arrays of strings: a word bare, a phrase in ‹›, an excluded term with !. */
function outline(query: Query): string[][] {
  return query.map((branch) =>
    branch.map(
      ({ text, phrase, exclude }) => `${exclude ? '!' : ''}${phrase ? `‹${text}›` : text}`,
    ),
  );
}

describe('the documented examples', () => {
  const document = ['document_analyzer', 'runs an analysis'];
  const umlaut = ['umlaut', 'Größe 100 % 天気'];
  const examples: [string[], string[], boolean][] = [
    [document, ['document analysis', 'Analys', 'DOC', 't_a'], true],
    [document, ['documents', '"analysis runs"', 'document -analysis', 't%a'], false],
    [umlaut, ['GROSSE', 'größe', '100 %', '天'], true],
    [['kana', 'が'], ['か'], false],
  ];
  for (const [tool, searches, found] of examples) {
    for (const search of searches) {
      test(`${search} ${found ? 'finds' : 'does not find'} ${tool.join(': ')}`, () => {
        assert.equal(finds(search, ...tool), found);
      });
    }
  }
});

describe('parsing', () => {
  const table: [string, string[][]][] = [
    ['Word', [['word']]],
    ['  a\tb\n\u3000c\u00A0d\uFEFF ', [['a', 'b', 'c', 'd']]],
    ['a a', [['a', 'a']]],
    // Phrases
    ['"A b"', [['‹a b›']]],
    ['" a  b "', [['‹ a  b ›']]],
    ['"a', [['‹a›']]],
    ['x "a -b OR c', [['x', '‹a -b or c›']]],
    ['"a"b', [['‹a›', 'b']]],
    ['"a""b"', [['‹a›', '‹b›']]],
    ['"a"-b', [['‹a›', '!b']]],
    ['"a"-"b c"d', [['‹a›', '!‹b c›', 'd']]],
    ['a"b c"', [['a"b', 'c"']]],
    ['it"s 5"', [['it"s', '5"']]],
    ['"a\nb"', [['‹a\nb›']]],
    ['“a b”', [['“a', 'b”']]],
    ['＂a b＂', [['"a', 'b"']]],
    // Exclusion
    ['-a', [['!a']]],
    ['a -b -"c d"', [['a', '!b', '!‹c d›']]],
    ['-"c d', [['!‹c d›']]],
    ['-a"b c', [['!a"b', 'c']]],
    ['a-b', [['a-b']]],
    ['-', [['-']]],
    ['a - b', [['a', '-', 'b']]],
    ['--a', [['!-a']]],
    ['--', [['!-']]],
    ['--"a b"', [['!-"a', 'b"']]],
    ['−a', [['−a']]],
    // Blank phrases
    ['a ""', [['a']]],
    ['a -"" " " b', [['a', 'b']]],
    ['a "', [['a']]],
    ['a -"', [['a']]],
    // OR
    ['a OR b', [['a'], ['b']]],
    [
      'a b OR c d',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    ['a OR b OR c', [['a'], ['b'], ['c']]],
    ['a OR -b', [['a'], ['!b']]],
    ['-a OR -b c', [['!a'], ['!b', 'c']]],
    ['"a"OR "b"', [['‹a›'], ['‹b›']]],
    ['a\u3000OR\u3000b', [['a'], ['b']]],
    ['OR', [['or']]],
    ['OR a', [['or', 'a']]],
    ['a OR', [['a', 'or']]],
    ['a OR OR b', [['a'], ['or', 'b']]],
    ['a OR OR', [['a'], ['or']]],
    ['OR OR', [['or', 'or']]],
    ['OR OR OR', [['or'], ['or']]],
    ['a OR ""', [['a', 'or']]],
    ['"" OR a', [['or', 'a']]],
    ['a "" OR b', [['a'], ['b']]],
    ['a OR "" OR b', [['a'], ['or', 'b']]],
    ['a or b', [['a', 'or', 'b']]],
    ['a Or b', [['a', 'or', 'b']]],
    ['a "OR" b', [['a', '‹or›', 'b']]],
    ['a -OR b', [['a', '!or', 'b']]],
    ['a ORb cOR', [['a', 'orb', 'cor']]],
    ['OR"a b"', [['or"a', 'b"']]],
    ['a ＯＲ b', [['a', 'or', 'b']]],
    // Plain characters
    ['% _ * t%a', [['%', '_', '*', 't%a']]],
    [
      "(a|b)+ c? \\ ' ; : ~ ^2 NEAR/3",
      [['(a|b)+', 'c?', '\\', "'", ';', ':', '~', '^2', 'near/3']],
    ],
    ['a AND NOT b', [['a', 'and', 'not', 'b']]],
    ['Größe ÉTÉ', [['grosse', 'ete']]],
    ['👩‍👧 a\0b', [['👩‍👧', 'a\0b']]],
    ['\uD83D', [['\uFFFD']]],
  ];
  for (const [raw, expected] of table) {
    test(`${JSON.stringify(raw)} → ${expected.map((branch) => branch.join(' & ')).join(' | ')}`, () => {
      assert.deepEqual(outline(parse(raw)), expected);
    });
  }
});

describe('refusals', () => {
  for (const raw of ['""', '"', '-""', '-"', ' "" ', '" "', '"\u3000', '"" -"" "']) {
    test(`${JSON.stringify(raw)} has characters but no term`, () => {
      assert.deepEqual(parseQuery(raw), { reason: 'Must have at least one search term' });
    });
  }

  for (const raw of ['', ' ', '\t\n\u3000']) {
    test(`${JSON.stringify(raw)} is blank, so it is an empty query that lets everything through`, () => {
      assert.deepEqual(parseQuery(raw), { query: [] });
      assert.equal(matches([], ['a']), true);
    });
  }

  test('the most terms are accepted, one more is not, over all branches and kinds', () => {
    const most = `${'a '.repeat(MAX_QUERY_TERMS - 3)}OR -b "c d" OR`;
    assert.equal(parse(most).flat().length, 32);
    assert.deepEqual(parseQuery(`e ${most}`), { reason: 'Must have at most 32 search terms' });
  });

  test('the longest text is accepted, one more character is not, an emoji being one', () => {
    for (const character of ['a', '"', ' ', '😀', '\uD800']) {
      const longest = `x ${character.repeat(MAX_QUERY_CHARACTERS - 2)}`;
      assert.equal([...longest].length, 1024);
      assert.ok('query' in parseQuery(longest));
      for (const more of [character, character.repeat(5000)]) {
        assert.deepEqual(parseQuery(longest + more), {
          reason: 'Must have at most 1024 characters',
        });
      }
    }
  });
});

describe('matching', () => {
  const table: [string, string[], boolean][] = [
    ['alpha beta', ['Alpha', 'Beta'], true],
    ['"alpha beta"', ['Alpha', 'Beta'], false],
    ['alphabeta', ['Alpha', 'Beta'], false],
    ['"alpha beta"', ['x', 'an alpha beta gamma'], true],
    ['"pha be"', ['alpha beta'], true],
    ['"alpha  beta"', ['alpha beta'], false],
    ['alpha alpha', ['alpha'], true],
    ['-gamma', ['alpha', 'beta'], true],
    ['-beta', ['alpha', 'beta'], false],
    ['-"alpha beta"', ['alpha', 'beta'], true],
    ['-"alpha beta"', ['x', 'alpha beta'], false],
    ['gamma OR beta', ['alpha', 'beta'], true],
    ['gamma OR delta', ['alpha', 'beta'], false],
    ['alpha gamma OR beta delta', ['alpha', 'beta'], false],
    ['alpha -beta OR beta', ['alpha', 'beta'], true],
    ['alpha OR beta -alpha', ['beta', 'alpha'], true],
    ['gamma OR -delta', ['alpha'], true],
    ['gamma OR -alpha', ['alpha'], false],
    ['a* lph', ['a* alpha'], true],
    ['al*a', ['alpha'], false],
    ['-', ['well-known'], true],
    ['-', ['alpha'], false],
  ];
  for (const [raw, texts, found] of table) {
    test(`${raw} ${found ? 'finds' : 'does not find'} ${JSON.stringify(texts)}`, () => {
      assert.equal(finds(raw, ...texts), found);
    });
  }

  test('without a text finds only what excludes', () => {
    assert.equal(finds('a'), false);
    assert.equal(finds('-a'), true);
  });
});

describe('every text', () => {
  const unit = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom('"', '-', ' ', 'OR', ' OR ', 'a', 'É', '\u3000') },
    { weight: 1, arbitrary: fc.integer({ max: 0xffff }).map((code) => String.fromCharCode(code)) },
  );
  const raw = fc.string({ unit, maxLength: 60 });
  const word = fc
    .string({ unit: 'binary', minLength: 1, maxLength: 12 })
    .filter((any) => !/[\s"]|^-|^OR$/u.test(any));
  const words = fc.uniqueArray(word, { minLength: 1, maxLength: 8 });

  test('is parsed into terms or refused with a reason', () => {
    fc.assert(
      fc.property(raw, (any) => {
        const parsed = parseQuery(any);
        if ('reason' in parsed) {
          assert.notEqual(parsed.reason, '');
          return;
        }
        assert.equal(parsed.query.length === 0, any.trim() === '');
        for (const branch of parsed.query) {
          assert.ok(branch.length > 0);
          for (const { text } of branch) {
            assert.match(text, /\S/);
            assert.equal(fold(text), text);
          }
        }
      }),
      { numRuns: 2000 },
    );
  });

  test('parses alike with more white space around it', () => {
    fc.assert(
      fc.property(raw, (any) => {
        assert.deepEqual(parseQuery(`\n ${any}`), parseQuery(any));
      }),
    );
  });

  test('of words finds any text that holds them all, in any order and any field', () => {
    fc.assert(
      fc.property(words, fc.nat(), (all, cut) => {
        const reversed = all.toReversed();
        const at = cut % (all.length + 1);
        const fields = [reversed.slice(0, at).join(' '), reversed.slice(at).join(' ')];
        assert.ok(finds(all.join(' '), ...fields));
      }),
    );
  });

  test('of words finds only what holds each of them', () => {
    fc.assert(
      fc.property(words, fc.array(word, { maxLength: 3 }), (all, texts) => {
        const expected = all.every((one) => texts.some((text) => fold(text).includes(fold(one))));
        assert.equal(finds(all.join(' '), ...texts), expected);
      }),
    );
  });

  test('in quotes finds the words side by side in one field only', () => {
    fc.assert(
      fc.property(words, (all) => {
        assert.ok(finds(`"${all.join(' ')}"`, 'other', `before ${all.join(' ')} after`));
        assert.equal(finds(`"${all.join(' ')} x"`, ...all, 'x'), false);
      }),
    );
  });

  test('with a minus finds exactly what it does not find without', () => {
    fc.assert(
      fc.property(word, fc.array(word, { maxLength: 4 }), (one, texts) => {
        assert.equal(finds(`-${one}`, ...texts), !finds(one, ...texts));
        assert.equal(finds(`-"${one}"`, ...texts), !finds(`"${one}"`, ...texts));
      }),
    );
  });

  test('joined by OR finds what either side finds', () => {
    fc.assert(
      fc.property(words, words, fc.array(word, { maxLength: 4 }), (left, right, texts) => {
        const [a, b] = [left.join(' '), right.join(' ')];
        assert.equal(finds(`${a} OR ${b}`, ...texts), finds(a, ...texts) || finds(b, ...texts));
      }),
    );
  });
});
