import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { checkStore } from '../../src/catalogue/check.ts';
import { temporaryFolder } from '../helper.ts';
import { createRun } from './run-steps.ts';
import { step } from './steps.ts';
import { newFile, serve } from './world.ts';

// A failure prints its seed and the shortest steps to it; run it again, or longer, with
// TOOLCRIB_TEST_SEED and TOOLCRIB_TEST_RUNS.

const START = Date.UTC(2026, 1, 27, 22, 0);

test('whatever happens, every statistic is what a recount of all calls gives', async (t) => {
  const folder = temporaryFolder(t);
  t.mock.timers.enable({ apis: ['Date'], now: START });
  const clock = {
    now: () => Date.now(),
    forward: (ms: number) => t.mock.timers.setTime(Date.now() + ms),
  };
  const story = fc.record({
    start: fc.nat(3 * 3_600_000),
    // Few stories of some length tell more than many short ones.
    steps: fc.noBias(fc.array(step, { maxLength: 80, size: 'max' })),
    picks: fc.nat(),
  });
  const seed = Number(process.env['TOOLCRIB_TEST_SEED'] ?? 20_240_101);
  const numRuns = Number(process.env['TOOLCRIB_TEST_RUNS'] ?? 8);
  await fc.assert(
    fc.asyncProperty(story, async ({ start, steps, picks }) => {
      t.mock.timers.setTime(START + start);
      const run = createRun(folder, await serve(newFile(folder)), clock);
      try {
        for (const step of steps) await run.doStep(step);
        await run.look(picks);
        assert.deepEqual((await checkStore(run.store())).faults, []);
      } finally {
        await run.close();
      }
    }),
    // A failure is shortened for a while, not for ever.
    { numRuns, seed, interruptAfterTimeLimit: numRuns * 2_000 },
  );
});
