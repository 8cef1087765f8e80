import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createDictionary } from '../../src/search/dictionary.ts';
import { createSpelling } from '../../src/search/spelling.ts';

/** Optimal string alignment, as the textbooks write it. */
function slips(one: string, other: string): number {
  const table = Array.from({ length: one.length + 1 }, (_, line) =>
    Array.from({ length: other.length + 1 }, (_, column) => (line === 0 ? column : line)),
  );
  const at = (line: number, column: number) => table[line]?.[column] ?? 0;
  for (let line = 1; line <= one.length; line += 1) {
    for (let column = 1; column <= other.length; column += 1) {
      const same = one[line - 1] === other[column - 1];
      const choices = [
        at(line - 1, column) + 1,
        at(line, column - 1) + 1,
        at(line - 1, column - 1) + (same ? 0 : 1),
      ];
      if (one[line - 1] === other[column - 2] && one[line - 2] === other[column - 1]) {
        if (line > 1 && column > 1) choices.push(at(line - 2, column - 2) + 1);
      }
      (table[line] as number[])[column] = Math.min(...choices);
    }
  }
  return at(one.length, other.length);
}

function spellingOf(words: readonly string[]) {
  const dictionary = createDictionary();
  for (const word of words) dictionary.intern(Buffer.from(word), 0, Buffer.byteLength(word));
  const spelling = createSpelling(dictionary);
  return (word: string, most: 1 | 2, isKnown = (_: string) => true) =>
    spelling
      .nearest(word, most, (number) => isKnown(dictionary.text(number)))
      .map(({ word: number }) => dictionary.text(number));
}

test('the nearest words are those of the textbooks', () => {
  const word = fc.string({
    unit: fc.constantFrom('a', 'b', 'c', 'x'),
    minLength: 4,
    maxLength: 10,
  });
  fc.assert(
    fc.property(
      fc.uniqueArray(word, { maxLength: 40 }),
      word,
      fc.constantFrom(1, 2),
      (words, given, most) => {
        const allowed = most === 2 && given.length < 8 ? -1 : most;
        const distances = words.map((each) => slips(given, each));
        const least = Math.min(...distances);
        const expected = words.filter((_, at) => least <= allowed && distances[at] === least);
        assert.deepEqual(spellingOf(words)(given, most as 1 | 2), expected);
      },
    ),
    { numRuns: 2_000 },
  );
});

test('a word is corrected to one that some tool has, and only if it is of letters a to z', () => {
  const nearest = spellingOf(['weather', 'feather', 'straße', 'file2', 'files']);
  assert.deepEqual(nearest('wether', 1), ['weather']);
  assert.deepEqual(nearest('xeather', 1), ['weather', 'feather']);
  assert.deepEqual(
    nearest('xeather', 1, (word) => word !== 'weather'),
    ['feather'],
  );
  assert.deepEqual(nearest('file3', 1), []);
  assert.deepEqual(nearest('strasse', 1), []);
  assert.deepEqual(nearest('cat', 1), []);
});
