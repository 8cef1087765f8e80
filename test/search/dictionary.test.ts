import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createDictionary } from '../../src/search/dictionary.ts';

const word = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 6 })
  .map((text) => text.replaceAll(' ', '_').toWellFormed());

test('a dictionary numbers strings as a Map does, and finds them where they stand', () => {
  fc.assert(
    fc.property(fc.array(word, { maxLength: 3_000 }), (words) => {
      const dictionary = createDictionary();
      const numbers = new Map<string, number>();
      for (const text of words) {
        const bytes = Buffer.from(text);
        if (!numbers.has(text)) numbers.set(text, numbers.size);
        assert.equal(dictionary.intern(bytes, 0, bytes.length), numbers.get(text));
      }
      assert.equal(dictionary.size, numbers.size);
      for (const [text, number] of numbers) {
        assert.equal(dictionary.find(Buffer.from(text)), number);
        assert.equal(dictionary.text(number), text);
        const last = dictionary.start(number) + dictionary.length(number) - 1;
        assert.equal(dictionary.numberAt(last, 0), number);
        assert.equal(dictionary.numberAt(dictionary.start(number), number), number);
      }
      assert.equal(dictionary.find(Buffer.from('not there at all')), undefined);
    }),
    { numRuns: 50 },
  );
});
