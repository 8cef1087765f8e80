import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { basic, HERE, setUpAuthenticator, THERE, user, WRONG } from './set-up-authenticator.ts';

const MINUTE = 60_000;

/** Failures since the first one, gone a minute after it. */
function failureWindow(limit: number) {
  let first = 0;
  let count = 0;
  return {
    full: (now: number) => count >= limit && now < first + MINUTE,
    add(now: number) {
      if (count === 0 || now >= first + MINUTE) [first, count] = [now, 0];
      count += 1;
    },
    clear() {
      count = 0;
    },
  };
}

/** What the rules say about one user, step by step. */
function createModel() {
  const places = new Map(
    [HERE, THERE].map((address) => [
      address,
      { entered: false, until: 0, byName: failureWindow(5), byAddress: failureWindow(30) },
    ]),
  );
  let current = 0;
  let justSet = false;
  function forget(): void {
    for (const place of places.values()) place.until = 0;
  }
  return {
    forget,
    set(password: number, remembered: boolean) {
      forget();
      for (const place of places.values()) place.entered = false;
      [current, justSet] = [password, remembered];
    },
    attempt(password: number, address: string, now: number): string {
      const place = places.get(address);
      assert(place);
      const right = password === current;
      if (right && now < place.until) return 'ok';
      const exempt = right && (place.entered || justSet);
      const full = place.byName.full(now) || place.byAddress.full(now);
      if (full && !exempt) return 'RateLimitError';
      if (!right) {
        place.byName.add(now);
        place.byAddress.add(now);
        return WRONG;
      }
      place.byName.clear();
      [place.entered, place.until, justSet] = [true, now + MINUTE, false];
      return 'ok';
    },
  };
}

const tries = fc.record({
  kind: fc.constant('try' as const),
  password: fc.nat(2),
  address: fc.constantFrom(HERE, HERE, HERE, THERE),
});
const step = fc.oneof(
  { weight: 12, arbitrary: tries },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.nat(40_000) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('set' as const),
      password: fc.nat(2),
      remember: fc.constantFrom('never', 'before forget', 'after forget'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('forget' as const) }) },
);

test('whatever happened before, an attempt ends as the rules say', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 30, maxLength: 120 }), async (steps) => {
      const { users, clock, authenticator, attempt } = setUpAuthenticator(user('ada', '0'));
      const model = createModel();
      for (const each of steps) {
        if (each.kind === 'wait') {
          clock.ms += each.ms;
        } else if (each.kind === 'forget') {
          authenticator.forget();
          model.forget();
        } else if (each.kind === 'set') {
          const changed = user('ada', String(each.password));
          const remember = (when: string) => {
            if (each.remember !== when) return;
            authenticator.remember('ada', String(each.password), changed);
          };
          users.set('ada', changed);
          remember('before forget');
          authenticator.forget('id-ada');
          remember('after forget');
          model.set(each.password, each.remember !== 'never');
        } else {
          const { password, address } = each;
          const outcome = await attempt(basic('ada', String(password)), address);
          const [type] = outcome.split(' ');
          assert.equal(type, model.attempt(password, address, clock.ms));
        }
      }
    }),
  );
});
