import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  DUMMY_HASH,
  hashPassword,
  passwordFault,
  verifyPassword,
} from '../../src/auth/passwords.ts';
import { AppError } from '../../src/errors.ts';
import { cheapHash } from './cheap-hash.ts';

const PHC = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/;

test('a hash is a PHC string with the stated cost and a salt of its own', async () => {
  const [one, two] = await Promise.all([
    hashPassword('correct horse'),
    hashPassword('correct horse'),
  ]);
  assert.match(one, PHC);
  assert.match(DUMMY_HASH, PHC);
  assert.notEqual(one, two);
  assert.equal(await verifyPassword('correct horse', one), true);
  assert.equal(await verifyPassword('correct horse', two), true);
  assert.equal(await verifyPassword('Correct horse', one), false);
});

// From the test program of the reference implementation (P-H-C/phc-winner-argon2, src/test.c).
for (const phc of [
  '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4',
  '$argon2id$v=19$m=256,t=2,p=2$c29tZXNhbHQ$bQk8UB/VmZZF4Oo79iDXuL5/0ttZwg2f/5U52iv1cDc',
]) {
  test(`a hash of the reference implementation is verified with its own cost: ${phc}`, async () => {
    assert.equal(await verifyPassword('password', phc), true);
    assert.equal(await verifyPassword('differentpassword', phc), false);
  });
}

test('verification takes short passwords and compares them exactly', async () => {
  const texts = ['a', 'pw', 'é', 'e\u0301', '\ufeffa', ' a', 'a ', 'x'.repeat(1024)];
  for (const stored of texts) {
    for (const tried of texts) {
      assert.equal(await verifyPassword(tried, cheapHash(stored)), tried === stored);
    }
  }
});

for (const [what, password] of [
  ['empty', ''],
  ['too long', 'x'.repeat(1025)],
  ['with a lone surrogate', 'password\ud800'],
  ['with NUL', 'password\0'],
] as const) {
  test(`a password that is ${what} is neither stored nor verified`, async () => {
    await assert.rejects(hashPassword(password), /^Error: The password must/);
    assert.equal(await verifyPassword(password, cheapHash(password)), false);
  });
}

for (const [password, reason] of [
  ['12345678', undefined],
  ['パスワード天気雨', undefined],
  ['x'.repeat(1024), undefined],
  ['', 'must not be empty'],
  ['1234567', 'must have at least 8 characters'],
  ['😀😀😀😀😀😀😀', 'must have at least 8 characters'],
  ['x'.repeat(1025), 'must have at most 1024 bytes in UTF-8'],
  ['天'.repeat(342), 'must have at most 1024 bytes in UTF-8'],
  ['pass\0word', 'must not contain control characters'],
  ['pass\tword', 'must not contain control characters'],
  ['pass\x7fword', 'must not contain control characters'],
  ['password\udc00', 'must not contain lone surrogates'],
] as const) {
  test(`new password ${JSON.stringify(password.slice(0, 12))} (${password.length}): ${reason}`, () => {
    assert.equal(passwordFault(password), reason);
  });
}

const valid = cheapHash('secret');
for (const phc of [
  '',
  'secret',
  ` ${valid}`,
  `${valid}\n`,
  `${valid}=`,
  valid.replace('argon2id', 'argon2i'),
  valid.replace('v=19', 'v=16'),
  valid.replace('m=8,t=1', 't=1,m=8'),
  valid.replace('m=8', 'm=08'),
  valid.replace('m=8', 'm=7'),
  valid.replace('m=8', 'm=4194304'),
  valid.replace('t=1', 't=0'),
  valid.replace('p=1', 'p=2'),
  valid.replace(/\$[^$]*$/, '$'),
  valid.replace(/\$[^$]*$/, '$AAAAAAAA'),
  valid.replace(/.$/, '_'),
  '$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy',
]) {
  test(`a malformed hash is an error that does not show it: ${JSON.stringify(phc)}`, async () => {
    const failure = await verifyPassword('secret', phc).catch((error: unknown) => error);
    assert(failure instanceof Error && !(failure instanceof AppError));
    assert(phc === '' || !failure.message.includes(phc));
  });
}

test('no change of one character of a hash keeps it valid', async () => {
  const replacement = fc.constantFrom(...'AQgwz019+/$=,_ ');
  await fc.assert(
    fc.asyncProperty(fc.nat(valid.length - 1), replacement, async (at, character) => {
      fc.pre(valid[at] !== character);
      const changed = valid.slice(0, at) + character + valid.slice(at + 1);
      const outcome = await verifyPassword('secret', changed).catch(() => false);
      assert.equal(outcome, false);
    }),
  );
});

test('of 100 verifications at once 66 are served and the rest asked to come again', async () => {
  let admitted = 0;
  const admit = () => {
    admitted += 1;
  };
  const outcomes = await Promise.allSettled(
    Array.from({ length: 100 }, () => verifyPassword('secret', valid, { admit })),
  );
  const refusals = outcomes.flatMap((outcome) =>
    outcome.status === 'rejected' ? [outcome.reason] : [],
  );
  assert.equal(refusals.length, 34);
  assert(
    refusals.every(
      ({ type, retryAfter }) => type === 'ServiceUnavailableError' && retryAfter === 1,
    ),
  );
  assert.equal(admitted, 66);
});

test('what admit throws saves the hash and frees the place', async () => {
  const admit = () => {
    throw new Error('not now');
  };
  for (let i = 0; i < 3; i += 1) {
    await assert.rejects(verifyPassword('secret', valid, { admit }), /not now/);
  }
  assert.equal(await verifyPassword('secret', valid), true);
});
