import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { fold } from '../../src/search/fold.ts';
import { toWords } from '../../src/search/words.ts';

/** Group → [text, folded]. Marks that are easy to miss are written as escapes. */
const TABLE: Record<string, [string, string][]> = {
  'case goes': [
    ['Document_Analyzer', 'document_analyzer'],
    ['ÄÖÜ', 'aou'],
    ['Größe', 'grosse'],
    ['GRÖẞE', 'grosse'],
    ['GROSSE', 'grosse'],
    ['İstanbul', 'istanbul'],
    ['I\u0307stanbul', 'istanbul'],
    ['ısı', 'isi'],
    ['ISI', 'isi'],
    ['ſo', 'so'],
    ['ПРИВЕТ', 'привет'],
    ['ՀԱՅ', 'հայ'],
    ['ᲗᲑᲘ', 'თბი'],
    ['𐐀', '𐐨'],
  ],
  'the final sigma is a sigma': [
    ['ΟΔΟΣ', 'οδοσ'],
    ['οδος', 'οδοσ'],
    ['οδοσ', 'οδοσ'],
    ['Σ', 'σ'],
    ['ς', 'σ'],
    ['ΟΔΟΣ ΣΑΣ', 'οδοσ σασ'],
  ],
  'Cherokee folds to one case, whichever it came in': [
    ['Ꭰ', 'ꭰ'],
    ['ꭰ', 'ꭰ'],
    ['Ᏸ', 'ᏸ'],
    ['ᏸ', 'ᏸ'],
  ],
  'letters without a decomposition': [
    ['Ørsted', 'orsted'],
    ['smørrebrød', 'smorrebrod'],
    ['Ǿ', 'o'],
    ['ÆSIR', 'aesir'],
    ['ǣ', 'ae'],
    ['Łódź', 'lodz'],
    ['Đà Nẵng', 'da nang'],
    ['đường', 'duong'],
  ],
  'other letters of their kind are not in the list and stay': [
    ['Œuvre', 'œuvre'],
    ['Ðþ', 'ðþ'],
    ['Ħ', 'ħ'],
  ],
  'marks after Latin and Greek letters go, composed or not': [
    ['Café', 'cafe'],
    ['Cafe\u0301', 'cafe'],
    ['Tiếng Việt', 'tieng viet'],
    ['Tie\u0302\u0301ng Vie\u0323\u0302t', 'tieng viet'],
    ['Žluťoučký kůň', 'zlutoucky kun'],
    ['ὈΔΥΣΣΕΎΣ', 'οδυσσευσ'],
    ['ΐ', 'ι'],
    ['ᾳ', 'αι'],
    ['Z\u0351\u0336a\u0334\u0301lgo', 'zalgo'],
    ['o\u0338', 'o'],
    ['x\u20DD', 'x'],
  ],
  'marks after anything else stay': [
    ['й', 'й'],
    ['и\u0306', 'й'],
    ['Ё', 'ё'],
    ['1\u0301', '1\u0301'],
    ['ↀ\u0301', 'ↀ\u0301'],
    ['=\u0338', '≠'],
    ['\u0301a', '\u0301a'],
    ['が', 'が'],
    ['か\u3099', 'が'],
    ['パ', 'パ'],
    ['שָׁלוֹם', 'שָׁלוֹם'.normalize('NFC')],
    ['مُحَمَّد', 'مُحَمَّد'.normalize('NFC')],
    ['น้ำ', 'น้ํา'],
    ['ก้', 'ก้'],
    ['हिन्दी', 'हिन्दी'],
    ['தமிழ்', 'தமிழ்'],
  ],
  'Hangul stays whole': [
    ['한국', '한국'],
    ['한국'.normalize('NFD'), '한국'],
    ['ㅎ', 'ᄒ'],
  ],
  'width, ligatures and other compatibility forms': [
    ['ＡＰＩ　１２', 'api 12'],
    ['ｶﾞｲﾄﾞ', 'ガイド'],
    ['ﬁle oﬃce', 'file office'],
    ['ﬆ', 'st'],
    ['x²', 'x2'],
    ['①', '1'],
    ['Ⅳ', 'iv'],
    ['℃', '°c'],
    ['Å', 'a'],
    ['𝐓𝐨𝐨𝐥', 'tool'],
    ['㈱', '(株)'],
    ['µ', 'μ'],
    ['a\u00A0b', 'a b'],
    ['天気', '天気'],
  ],
  'emoji keep their joiners and selectors': [
    ['👩‍👩‍👧', '👩‍👩‍👧'],
    ['❤\uFE0F', '❤\uFE0F'],
    ['1\uFE0F\u20E3', '1\uFE0F\u20E3'],
    ['👍🏽', '👍🏽'],
  ],
  'lone surrogates become U+FFFD': [
    ['a\uD800', 'a\uFFFD'],
    ['\uDC00\uD800', '\uFFFD\uFFFD'],
  ],
};

for (const [group, pairs] of Object.entries(TABLE)) {
  describe(group, () => {
    for (const [text, folded] of pairs) {
      test(`${JSON.stringify(text)} → ${JSON.stringify(folded)}`, () => {
        assert.equal(fold(text), folded);
      });
    }
  });
}

test('kana with and without voicing stay apart', () => {
  assert.notEqual(fold('か'), fold('が'));
  assert.notEqual(fold('ハ'), fold('パ'));
});

describe('every assigned character of Unicode', () => {
  const characters = Array.from({ length: 0x110000 }, (_, code) =>
    String.fromCodePoint(code),
  ).filter((character) => !/[\p{Unassigned}\p{Private_Use}\p{Surrogate}]/u.test(character));

  test('is not folded twice, nor away, nor to white space', () => {
    const wrong = characters.filter((character) => {
      const folded = fold(character);
      return fold(folded) !== folded || (/\S/.test(character) && !/\S/.test(folded));
    });
    assert.deepEqual(wrong, []);
  });

  test('folds alike in upper case, in lower case and decomposed', () => {
    const wrong = characters.filter((character) => {
      const folded = fold(character);
      return [
        character.toUpperCase(),
        character.toLowerCase(),
        character.normalize('NFD'),
        character.normalize('NFKD'),
      ].some((variant) => fold(variant) !== folded);
    });
    assert.deepEqual(wrong, []);
  });
});

describe('every text', () => {
  const mark = fc.constantFrom(
    '\u0301',
    '\u0323',
    '\u0338',
    '\u0345',
    '\u034F',
    '\u3099',
    '\u064B',
  );
  const letter = fc.constantFrom(
    ...'aÅıİßΣςᾳøÆĐ\u1100\u1161\u11A8가иЁか= \u200D\uFE0F\uD800\uDC00',
  );
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.oneof(letter, mark) }),
    fc.string({ unit: fc.integer({ max: 0xffff }).map((unit) => String.fromCharCode(unit)) }),
  );

  test('folded again stays as it is', () => {
    fc.assert(fc.property(text, (any) => fold(fold(any)) === fold(any)));
  });

  test('folds alike composed, decomposed and in either case', () => {
    fc.assert(
      fc.property(text, (any) => {
        // Upper case is taken of ordered marks, since it makes a letter of the iota subscript.
        const composed = any.normalize('NFC');
        for (const variant of [composed, any.normalize('NFD'), composed.toUpperCase()]) {
          assert.equal(fold(variant), fold(any));
        }
      }),
    );
  });

  test('folds word by word', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        assert.equal(fold(`${a} ${b}`), `${fold(a)} ${fold(b)}`);
      }),
    );
  });

  test('of ASCII only changes in case, as it does beside other characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii' }), (ascii) => {
        assert.equal(fold(ascii), ascii.toLowerCase());
        assert.equal(fold(`${ascii} 天`), `${fold(ascii)} 天`);
      }),
    );
  });
});

test('of endless marks those that a language could have stay, so that folding stays fast', () => {
  const marks = '\u0301\u0323'.repeat(4_000);
  assert.equal(fold(`a${marks}b`), 'ab');
  assert.equal([...fold(`\u05d0${marks}b`)].length, 32);
  assert.equal(fold(fold(`\u05d0${marks}b`)), fold(`\u05d0${marks}b`));
  assert.deepEqual(
    toWords(`a${marks}b c`).map(({ text }) => text),
    ['ab', 'c'],
  );
});
