import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readConversations } from '../../bench/memory/conversations.ts';
import { evaluate } from '../../bench/memory/evaluate.ts';
import { startStore } from './people.ts';

const FILE = join(process.env['TOOLCRIB_TEST_DATA'] ?? '', 'memory/locomo-dev.json');

test('memories of judged conversations are found again as promised', {
  skip: existsSync(FILE) ? false : 'TOOLCRIB_TEST_DATA names no folder with memory/',
}, async (t) => {
  const { recall, search_memory } = await evaluate(startStore(t), readConversations(FILE));
  assert.ok(recall['recall@5'] >= 0.6, `recall@5 is ${recall['recall@5']}`);
  assert.ok(recall['hit@5'] >= 0.66, `hit@5 is ${recall['hit@5']}`);
  assert.ok(search_memory.kept >= 0.53, `kept are ${search_memory.kept}`);
  assert.ok(search_memory.answered <= 0.15, `answered are ${search_memory.answered}`);
});
