import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createThrottle } from '../../src/auth/throttle.ts';
import { AppError } from '../../src/errors.ts';

function setUp(keys = 100) {
  const clock = { ms: 0 };
  const throttle = createThrottle({ limit: 2, windowMs: 60_000, keys, now: () => clock.ms });
  return { clock, throttle };
}

function retryAfter(attempt: () => void): number | undefined {
  try {
    attempt();
  } catch (error) {
    assert(error instanceof AppError);
    assert.equal(error.type, 'RateLimitError');
    assert.deepEqual(error.details, { retry_after_seconds: error.retryAfter });
    return error.retryAfter;
  }
  return undefined;
}

test('a used-up key is refused until the window of its first failure has passed', () => {
  const { clock, throttle } = setUp();
  throttle.take('a');
  clock.ms = 40_000;
  throttle.take('a');
  assert.equal(
    retryAfter(() => throttle.take('a')),
    20,
  );
  assert.equal(
    retryAfter(() => throttle.check('a')),
    20,
  );
  assert.equal(
    retryAfter(() => throttle.take('b')),
    undefined,
  );
  clock.ms = 59_999;
  assert.equal(
    retryAfter(() => throttle.take('a')),
    1,
  );
  clock.ms = 60_000;
  assert.equal(
    retryAfter(() => throttle.take('a')),
    undefined,
  );
});

test('an attempt taken back leaves no window behind', () => {
  const { clock, throttle } = setUp();
  throttle.take('a')();
  clock.ms = 50_000;
  throttle.take('a');
  throttle.take('a');
  clock.ms = 61_000;
  assert.equal(
    retryAfter(() => throttle.take('a')),
    49,
  );
});

test('an attempt that ends after its window does not change the next one', () => {
  const { clock, throttle } = setUp();
  const takeBack = throttle.take('a');
  clock.ms = 60_000;
  throttle.take('a');
  throttle.take('a');
  takeBack();
  assert.equal(
    retryAfter(() => throttle.take('a')),
    60,
  );
});

test('a key that is tried again and again is not pushed out of a full table', () => {
  const { throttle } = setUp(10);
  throttle.take('victim');
  throttle.take('victim');
  for (let i = 0; i < 100; i += 1) {
    throttle.take(`noise ${i}`);
    assert.equal(
      retryAfter(() => throttle.check('victim')),
      60,
    );
  }
});

test('never more failures in a window than the limit, however attempts and time mix', () => {
  const step = fc.record({ wait: fc.nat(40_000), good: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const { clock, throttle } = setUp();
      let first = Number.NEGATIVE_INFINITY;
      let failures = 0;
      for (const { wait, good } of steps) {
        clock.ms += wait;
        if (clock.ms >= first + 60_000) failures = 0;
        const takeBack: (() => void)[] = [];
        const seconds = retryAfter(() => takeBack.push(throttle.take('a')));
        const expected = failures === 2 ? Math.ceil((first + 60_000 - clock.ms) / 1000) : undefined;
        assert.equal(seconds, expected);
        if (seconds !== undefined) continue;
        if (good) {
          for (const undo of takeBack) undo();
        } else {
          if (failures === 0) first = clock.ms;
          failures += 1;
        }
      }
    }),
  );
});
