import assert from 'node:assert/strict';
import { test } from 'node:test';
import { killWhileRecording } from '../usage/kill-recording.ts';

test('50 times kill -9 of a server that records calls: each acknowledged one is counted once', async (t) => {
  const sum = { acknowledged: 0, retried: 0, landed: 0, lost: 0 };
  // A new store every ten times: comparing everything takes longer with each call.
  for (let store = 0; store < 5; store += 1) {
    const enough = (round: number) => 20 + (((store * 10 + round) * 37) % 150);
    const counts = await killWhileRecording(t, { rounds: 10, enough });
    for (const [key, count] of Object.entries(counts)) sum[key as keyof typeof sum] += count;
  }
  t.diagnostic(JSON.stringify(sum));
  // Else no kill hit a report under way.
  assert.ok(sum.retried + sum.landed + sum.lost >= 50);
});
