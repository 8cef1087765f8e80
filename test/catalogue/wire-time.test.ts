import { test } from 'node:test';
import fc from 'fast-check';
import { wireTime } from '../../src/catalogue/wire-time.ts';

const MIN = Date.UTC(0, 0, 1);
const MAX = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

test('times in any order show as the platform shows them, without fractions', () => {
  const time = fc.integer({ min: MIN, max: MAX });
  fc.assert(
    fc.property(fc.array(fc.oneof(time, fc.integer({ min: -2e8, max: 2e8 }))), (times) =>
      times.every((ms) => wireTime(ms) === `${new Date(ms).toISOString().slice(0, 19)}Z`),
    ),
  );
});
