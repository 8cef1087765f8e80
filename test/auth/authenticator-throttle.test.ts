import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashPassword } from '../../src/auth/passwords.ts';
import {
  argon2,
  basic,
  HERE,
  setUpAuthenticator,
  THERE,
  times,
  user,
  WRONG,
} from './set-up-authenticator.ts';

const ada = () => user('ada', 'lovelace');
const good = basic('ada', 'lovelace');

test('after 5 wrong passwords no hash is run until the first one is a minute old', async () => {
  const { clock, attempt, guess, hashes } = setUpAuthenticator(ada());
  assert.deepEqual(await guess(1, 'ada'), [WRONG]);
  clock.ms = 20_000;
  assert.deepEqual(await guess(6, 'ada'), [...times(4, WRONG), ...times(2, 'RateLimitError 40')]);
  assert.equal(await attempt(good), 'RateLimitError 40');
  assert.equal(hashes(), 5);
  clock.ms = 59_999;
  assert.equal(await attempt(good), 'RateLimitError 1');
  clock.ms = 60_000;
  assert.equal(await attempt(good), 'ok');
});

test('the throttle counts by name and address; malformed headers do not count', async () => {
  const { attempt, guess, hashes } = setUpAuthenticator(ada(), user('bob', 'builder'));
  for (let i = 0; i < 50; i += 1) assert.equal(await attempt(`Basic ${i}`), WRONG);
  assert.equal(hashes(), 0);
  assert.deepEqual(await guess(6, 'ada'), [...times(5, WRONG), 'RateLimitError 60']);
  assert.equal(await attempt(good, THERE), 'ok');
  assert.equal(await attempt(basic('bob', 'builder')), 'ok');
});

test('the answer of the throttle tells the seconds in its details too', async () => {
  const { authenticator, guess } = setUpAuthenticator(ada());
  await guess(5, 'ada');
  await assert.rejects(authenticator.authenticate(basic('ada', 'x'), HERE), {
    type: 'RateLimitError',
    retryAfter: 60,
    details: { retry_after_seconds: 60 },
  });
});

test('a right password clears the failures before it', async () => {
  const { authenticator, attempt, guess } = setUpAuthenticator(ada());
  for (let round = 0; round < 4; round += 1) {
    assert.deepEqual(await guess(4, 'ada'), times(4, WRONG));
    assert.equal(await attempt(good), 'ok');
    authenticator.forget();
  }
});

test('of 100 guesses at once 5 are hashed', async () => {
  const { attempt, hashes } = setUpAuthenticator(ada());
  const guesses = Array.from({ length: 100 }, (_, i) => attempt(basic('ada', `guess ${i}`)));
  const outcomes = await Promise.all(guesses);
  assert.equal(hashes(), 5);
  assert.equal(outcomes.filter((outcome) => outcome === WRONG).length, 5);
  assert.equal(outcomes.filter((outcome) => outcome === 'RateLimitError 60').length, 95);
});

test('an address has 30 wrong passwords a minute over all names, also all at once', async () => {
  const names = Array.from({ length: 100 }, (_, i) => `user${i}`);
  const { clock, attempt, hashes } = setUpAuthenticator(
    ada(),
    ...names.map((name) => user(name, 'password')),
  );
  const guessAll = () => Promise.all(names.map((name) => attempt(basic(name, 'guess'))));
  assert.equal(await attempt(good), 'ok');
  clock.ms = 59_000;
  assert.equal((await guessAll()).filter((outcome) => outcome === WRONG).length, 30);
  assert.equal(hashes(), 31);
  assert.deepEqual(await guessAll(), times(100, 'RateLimitError 60'), 'none enters the queue');
  assert.equal(await attempt(basic('nobody', 'guess')), 'RateLimitError 60');
  assert.equal(hashes(), 31);
  assert.equal(await attempt(basic('user0', 'password'), THERE), 'ok');
  clock.ms = 61_000;
  assert.equal(await attempt(good), 'ok', 'its pair is known');
  assert.equal(hashes(), 33);
});

test('a known pair gets its hash while guesses from many addresses fill the queue', async () => {
  const { clock, attempt } = setUpAuthenticator(ada());
  assert.equal(await attempt(good), 'ok');
  clock.ms = 61_000;
  const flood = Array.from({ length: 100 }, (_, i) => attempt(basic('ada', 'x'), `2001:db8::${i}`));
  assert.equal(await attempt(good), 'ok');
  assert((await Promise.all(flood)).includes('ServiceUnavailableError 1'));
});

test('many good users may arrive from one address at once', async () => {
  const names = Array.from({ length: 60 }, (_, i) => `user${i}`);
  const { attempt } = setUpAuthenticator(...names.map((name) => user(name, 'password')));
  const outcomes = await Promise.all(names.map((name) => attempt(basic(name, 'password'))));
  assert.deepEqual(outcomes, times(60, 'ok'));
});

test('a pair verified at an address before passes its throttle, by a hash', async () => {
  const { clock, attempt, guess, hashes } = setUpAuthenticator(ada());
  assert.equal(await attempt(good), 'ok');
  clock.ms = 59_000;
  assert.deepEqual(await guess(6, 'ada'), [...times(5, WRONG), 'RateLimitError 60']);
  clock.ms = 61_000;
  const before = hashes();
  assert.equal(await attempt(good), 'ok');
  assert.equal(hashes(), before + 1);
});

test('a guesser at another address cannot try against the pairs verified here', async () => {
  const { attempt, guess } = setUpAuthenticator(ada());
  assert.equal(await attempt(good), 'ok');
  await guess(5, 'ada', THERE);
  assert.equal(await attempt(good, THERE), 'RateLimitError 60');
  assert.equal(await attempt(good), 'ok');
});

test('a pair just set passes the throttle at the address that uses it first', async () => {
  const { authenticator, attempt, guess } = setUpAuthenticator(ada());
  authenticator.remember('ada', 'lovelace', ada());
  await guess(5, 'ada');
  assert.equal(await attempt(good), 'RateLimitError 60', 'its hash is not that of the store');

  const other = ada();
  const { authenticator: second, attempt: at, guess: guessAt } = setUpAuthenticator(other);
  second.remember('ada', 'lovelace', other);
  await guessAt(5, 'ada');
  await guessAt(5, 'ada', THERE);
  assert.equal(await at(good), 'ok');
  assert.equal(await at(good, THERE), 'RateLimitError 60');
});

test('a pair whose user has changed has no exemption, even before forget is called', async () => {
  const { users, clock, attempt, guess } = setUpAuthenticator(ada());
  assert.equal(await attempt(good), 'ok');
  clock.ms = 60_000;
  users.set('ada', user('ada', 'byron'));
  await guess(5, 'ada');
  assert.equal(await attempt(good), 'RateLimitError 60');
});

test('what fails for another reason is no wrong password and is not kept', async () => {
  const { users, attempt, guess, authenticator } = setUpAuthenticator(ada());
  users.set('ada', { ...ada(), password_hash: 'damaged' });
  for (let i = 0; i < 40; i += 1) {
    await assert.rejects(authenticator.authenticate(good, HERE), /Malformed password hash/);
  }
  users.set('ada', ada());
  assert.deepEqual(await guess(4, 'ada'), times(4, WRONG));
  assert.equal(await attempt(good), 'ok');
});

test('unknown names take as long as wrong passwords, and are throttled alike', async () => {
  const { users, attempt, guess } = setUpAuthenticator();
  users.set('ada', { ...ada(), password_hash: await hashPassword('lovelace') });
  argon2.mock.resetCalls();
  let [known, unknown] = [0, 0];
  // A busy machine may spoil a round; a real difference spoils all.
  for (let round = 0; round < 6; round += 1) {
    const samples: { ada: number[]; nobody: number[] } = { ada: [], nobody: [] };
    for (let i = 0; i < 7; i += 1) {
      for (const name of ['ada', 'nobody'] as const) {
        const start = performance.now();
        assert.equal(await attempt(basic(name, 'guess'), `198.51.100.${10 * round + i}`), WRONG);
        samples[name].push(performance.now() - start);
      }
    }
    [known, unknown] = [median(samples.ada), median(samples.nobody)];
    if (Math.abs(known - unknown) < 0.25 * known) break;
  }
  assert(Math.abs(known - unknown) < 0.25 * known, `${known} ms known, ${unknown} ms unknown`);
  const costs = argon2.mock.calls.map((call) => {
    const [, { memory, passes, parallelism, tagLength, nonce }] = call.arguments;
    return JSON.stringify([memory, passes, parallelism, tagLength, Buffer.byteLength(nonce)]);
  });
  assert.deepEqual([...new Set(costs)], ['[19456,2,1,32,16]']);
  for (const name of ['ada', 'nobody']) {
    assert.deepEqual(await guess(6, name), [...times(5, WRONG), 'RateLimitError 60']);
  }
});

function median(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}
