import { test } from 'node:test';
import { killWhileRecording } from './kill-recording.ts';

test('calls that were acknowledged are counted once after kill -9, and all numbers agree', async (t) => {
  await killWhileRecording(t, { rounds: 3, enough: (round) => 30 + 20 * round });
});
