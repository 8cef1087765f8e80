import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAuthenticator } from '../../src/auth/authenticator.ts';
import { cheapHash } from './cheap-hash.ts';
import { basic, HERE, setUpAuthenticator, times, user, WRONG } from './set-up-authenticator.ts';

const ada = () => user('ada', 'lovelace');
const good = basic('ada', 'lovelace');

test('good credentials give the principal, without the hash', async () => {
  const { authenticator } = setUpAuthenticator(ada());
  const principal = await authenticator.authenticate(good, HERE);
  assert.deepEqual(principal, { id: 'id-ada', name: 'ada', scopes: ['tools:read'] });
});

const SEND_BASIC = 'Send Basic credentials in the Authorization header';

for (const [what, header, message] of [
  ['no header', undefined, 'Authentication required'],
  ['an empty header', '', 'Invalid credentials'],
  ['another scheme', 'Bearer abc', 'Invalid credentials'],
  ['malformed base64', 'Basic !', 'Invalid credentials'],
  ['an unknown name', basic('bob', 'lovelace'), 'Invalid credentials'],
  ['a wrong password', basic('ada', 'Lovelace'), 'Invalid credentials'],
  ['an empty password', basic('ada', ''), 'Invalid credentials'],
] as const) {
  test(`${what}: '${message}' and nothing else`, async () => {
    const { authenticator } = setUpAuthenticator(ada());
    await assert.rejects(authenticator.authenticate(header, HERE), {
      type: 'AuthenticationError',
      message,
      details: {
        reason:
          header === undefined
            ? SEND_BASIC
            : `${SEND_BASIC}: the name of a user, a colon and its password`,
      },
      retryAfter: undefined,
    });
  });
}

test('a verified pair costs no hash for 60 seconds, counted from its hash', async () => {
  const { clock, attempt, hashes } = setUpAuthenticator(ada());
  for (const [ms, expected] of [
    [0, 1],
    [30_000, 1],
    [59_999, 1],
    [60_000, 2],
    [119_999, 2],
    [120_000, 3],
  ] as const) {
    clock.ms = ms;
    assert.equal(await attempt(good), 'ok');
    assert.equal(hashes(), expected);
  }
});

test('at most 1,000 pairs are kept, the least recently used goes first', async () => {
  const names = Array.from({ length: 1001 }, (_, i) => `user${i}`);
  const shared = cheapHash('password');
  const { attempt, hashes } = setUpAuthenticator(
    ...names.map((n) => ({ ...user(n, ''), password_hash: shared })),
  );
  for (const name of names) assert.equal(await attempt(basic(name, 'password')), 'ok');
  assert.equal(hashes(), 1001);
  await attempt(basic('user1000', 'password'));
  assert.equal(hashes(), 1001);
  await attempt(basic('user0', 'password'));
  assert.equal(hashes(), 1002);
});

test('equal requests at once share one hash, right or wrong, and a failure is not kept', async () => {
  const { attempt, hashes } = setUpAuthenticator(ada());
  assert.deepEqual(await Promise.all(times(50, good).map((h) => attempt(h))), times(50, 'ok'));
  assert.equal(hashes(), 1);
  const bad = basic('ada', 'nope');
  assert.deepEqual(await Promise.all(times(50, bad).map((h) => attempt(h))), times(50, WRONG));
  assert.equal(hashes(), 2);
  await attempt(bad);
  assert.equal(hashes(), 3);
});

for (const [what, forget] of [
  ['of all', undefined],
  ['of the user', 'id-ada'],
] as const) {
  test(`forget ${what} empties the cache; the exemption lasts as long as the password`, async () => {
    const { users, authenticator, attempt, guess, hashes } = setUpAuthenticator(ada());
    assert.equal(await attempt(good), 'ok');
    authenticator.forget(forget);
    assert.equal(await attempt(good), 'ok');
    assert.equal(hashes(), 2);
    await guess(5, 'ada');
    authenticator.forget(forget);
    assert.equal(await attempt(good), 'ok');
    await guess(5, 'ada');
    users.set('ada', ada());
    authenticator.forget(forget);
    assert.equal(await attempt(good), 'RateLimitError 60');
  });

  test(`a password that was just set is remembered through forget ${what}`, async () => {
    const { users, authenticator, attempt, guess } = setUpAuthenticator(ada());
    assert.equal(await attempt(good), 'ok');
    for (const password of ['lovelace', 'byron']) {
      const changed = user('ada', password);
      users.set('ada', changed);
      authenticator.remember('ada', password, changed);
      authenticator.forget(forget);
      await guess(5, 'ada');
      assert.equal(await attempt(basic('ada', password)), 'ok');
    }
    assert.equal(await attempt(good), WRONG);
  });
}

test('forget of one user leaves the others, and their exemption', async () => {
  const { clock, authenticator, attempt, guess, hashes } = setUpAuthenticator(
    ada(),
    user('bob', 'builder'),
  );
  await attempt(good);
  authenticator.forget('id-bob');
  assert.equal(await attempt(good), 'ok');
  assert.equal(hashes(), 1);
  clock.ms = 61_000;
  await guess(5, 'ada');
  assert.equal(await attempt(good), 'ok');
});

test('a password changed while its hash runs is not kept, nor handed to later requests', async () => {
  for (const forget of [undefined, 'id-ada']) {
    const { users, authenticator, attempt } = setUpAuthenticator(ada());
    const early = attempt(good);
    users.set('ada', user('ada', 'byron'));
    authenticator.forget(forget);
    const late = attempt(good);
    assert.deepEqual(await Promise.all([early, late]), ['ok', WRONG]);
    assert.equal(await attempt(good), WRONG);
    assert.equal(await attempt(basic('ada', 'byron')), 'ok');
  }
});

test('a request that ends late does not end the sharing of the ones after forget', async () => {
  const gates: (() => void)[] = [];
  const { authenticate, forget } = createAuthenticator({
    findUser: async () => {
      await new Promise<void>((resolve) => gates.push(resolve));
      return ada();
    },
  });
  const early = authenticate(good, HERE);
  forget();
  const late = authenticate(good, HERE);
  gates[0]?.();
  await early;
  const later = authenticate(good, HERE);
  assert.equal(gates.length, 2);
  gates[1]?.();
  assert.equal(await later, await late);
});
