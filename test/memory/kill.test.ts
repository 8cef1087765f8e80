import { test } from 'node:test';
import { killWhileRemembering } from './kill-remembering.ts';

test('memories that were acknowledged are there once after kill -9, and their index agrees', async (t) => {
  await killWhileRemembering(t, { rounds: 1, enough: () => 300 });
});
