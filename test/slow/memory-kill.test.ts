import assert from 'node:assert/strict';
import { test } from 'node:test';
import { killWhileRemembering } from '../memory/kill-remembering.ts';

test('20 times kill -9 of a server that remembers: what was acknowledged is there, once', async (t) => {
  const enough = (round: number) => 30 + ((round * 97) % 600);
  const counts = await killWhileRemembering(t, { rounds: 20, enough });
  t.diagnostic(JSON.stringify(counts));
  // Else no kill hit a request under way.
  assert.ok(counts.unsure >= 20);
});
