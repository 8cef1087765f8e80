import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createHashQueue } from '../../src/auth/hash-queue.ts';
import { AppError } from '../../src/errors.ts';

/** Works that finish when told to, and what became of each. */
function setUp(atOnce: number, waiting: number) {
  const inTurn = createHashQueue(atOnce, waiting);
  const started: string[] = [];
  const refused: string[] = [];
  const finish = new Map<string, () => void>();
  function add(name: string, urgent = false): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    finish.set(name, resolve);
    const work = () => {
      started.push(name);
      return promise;
    };
    return inTurn(work, urgent).catch((error: unknown) => {
      assert(error instanceof AppError);
      assert.equal(error.type, 'ServiceUnavailableError');
      assert.equal(error.retryAfter, 1);
      refused.push(name);
    });
  }
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return { add, started, refused, settle, end: (name: string) => finish.get(name)?.() };
}

test('what finds no room is refused at once, the others run in order', async () => {
  const { add, started, refused, settle, end } = setUp(2, 2);
  const works = ['a', 'b', 'c', 'd', 'e'].map((name) => add(name));
  await settle();
  assert.deepEqual(started, ['a', 'b']);
  assert.deepEqual(refused, ['e']);
  for (const name of ['b', 'a', 'c', 'd']) {
    end(name);
    await settle();
  }
  await Promise.all(works);
  assert.deepEqual(started, ['a', 'b', 'c', 'd']);
});

test('an urgent work goes first and takes the place of the newest that is not', async () => {
  const { add, started, refused, settle, end } = setUp(1, 3);
  const works = [add('a'), add('b'), add('c'), add('urgent 1', true), add('urgent 2', true)];
  works.push(add('d'));
  await settle();
  assert.deepEqual(refused.sort(), ['c', 'd']);
  for (const name of ['a', 'urgent 1', 'urgent 2', 'b']) {
    end(name);
    await settle();
  }
  await Promise.all(works);
  assert.deepEqual(started, ['a', 'urgent 1', 'urgent 2', 'b']);
});

test('an urgent work is refused when all that wait are urgent', async () => {
  const { add, refused, settle, end } = setUp(1, 1);
  const works = [add('a'), add('urgent 1', true), add('urgent 2', true)];
  await settle();
  assert.deepEqual(refused, ['urgent 2']);
  end('a');
  end('urgent 1');
  await Promise.all(works);
});

test('a failed work gives its place back', async () => {
  const inTurn = createHashQueue(1, 0);
  const failure = inTurn(() => Promise.reject(new Error('boom')), false);
  await assert.rejects(failure, /boom/);
  assert.equal(await inTurn(async () => 'next', false), 'next');
});

test('never more at once than allowed, and every work runs or is refused', async () => {
  const works = fc.array(fc.record({ urgent: fc.boolean(), ticks: fc.nat(3) }), { maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 3 }), fc.nat(5), works, async (n, room, list) => {
      const inTurn = createHashQueue(n, room);
      let running = 0;
      const outcomes = await Promise.allSettled(
        list.map(({ urgent, ticks }) =>
          inTurn(async () => {
            running += 1;
            assert(running <= n);
            for (let tick = 0; tick < ticks; tick += 1) await null;
            running -= 1;
          }, urgent),
        ),
      );
      const served = outcomes.filter(({ status }) => status === 'fulfilled').length;
      assert.equal(served, Math.min(list.length, n + room));
      assert.equal(running, 0);
    }),
  );
});
