import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { maskTokens, newToken, tokenIdOf } from '../../src/auth/token-text.ts';
import { maskedError } from '../../src/mask-secrets.ts';

test('a new token begins with its id, and no two are alike', () => {
  const tokens = Array.from({ length: 100 }, () => newToken());
  for (const { id, text } of tokens) {
    assert.match(text, /^tcb_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}$/);
    assert.ok(text.startsWith(`${id}_`));
    assert.equal(tokenIdOf(text), id);
  }
  assert.equal(new Set(tokens.map(({ id }) => id)).size, 100);
});

test('any one character that is wrong, missing or too many is told without a look-up', () => {
  const { text } = newToken();
  fc.assert(
    fc.property(fc.nat(text.length - 1), fc.constantFrom(...'09azAZ_'), (at, character) => {
      const [before, after] = [text.slice(0, at), text.slice(at + 1)];
      fc.pre(text[at] !== character);
      assert.equal(tokenIdOf(before + character + after), undefined);
      assert.equal(tokenIdOf(before + after), undefined);
      assert.equal(tokenIdOf(before + character + text.slice(at)), undefined);
    }),
  );
});

test('of tokens in a text only what they are listed by is left', () => {
  const { id, text } = newToken();
  const masked = maskTokens(`/tokens/${text}?x=${text.slice(0, -10)} ${id}`);
  assert.equal(masked, `/tokens/${id}_***?x=${id}_*** ${id}`);
  assert.doesNotMatch(maskedError(`it said ${text}, and`), new RegExp(text.slice(17, 30)));
});
