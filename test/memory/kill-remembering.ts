import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { checkStore } from '../../src/catalogue/check.ts';
import { openStore } from '../../src/store/store.ts';
import { temporaryFolder } from '../helper.ts';
import { type ServerProcess, startServerProcess } from '../server-process.ts';

const CLIENTS = 8;

/** A fact's memory as far as its client knows; each fact is remembered, changed, then erased. */
interface Fact {
  key: string;
  /** How many of the three steps were acknowledged. */
  done: number;
  reference?: string;
}

/**
 * Eight clients remember, change and erase until `enough` answers came; then the server is killed and
 * started again on its file. What was acknowledged must be there, once; a request to remember that
 * was under way is sent again, and still makes one memory.
 * @returns how many answers there were, and how many requests were under way at a kill.
 */
export async function killWhileRemembering(
  t: TestContext,
  { rounds, enough }: { rounds: number; enough: (round: number) => number },
): Promise<{ answers: number; unsure: number }> {
  const folder = temporaryFolder(t);
  const facts: Fact[] = [];
  const counts = { answers: 0, unsure: 0 };
  for (let round = 0; round < rounds; round += 1) {
    const server = await startServerProcess(t, folder);
    const unsure = new Set<Fact>();
    let answers = 0;
    const client = async (which: number) => {
      for (let number = 0; ; number += 1) {
        const fact: Fact = { key: `fact-${round}-${which}-${number}`, done: 0 };
        facts.push(fact);
        unsure.add(fact);
        for (const step of STEPS.slice(0, 1 + (number % STEPS.length))) {
          await step(server, fact);
          fact.done += 1;
          answers += 1;
          // Not awaited: it comes while the others go on.
          if (answers === enough(round)) void server.kill();
        }
        unsure.delete(fact);
      }
    };
    // Each client ends when its connection does.
    const clients = Array.from({ length: CLIENTS }, (_, which) => client(which));
    for (const { reason } of (await Promise.allSettled(clients)) as PromiseRejectedResult[]) {
      if (reason instanceof assert.AssertionError) throw reason;
    }
    await server.kill();
    await assertSound(folder);
    const next = await startServerProcess(t, folder);
    for (const fact of unsure) if (fact.done === 0) await remember(next, fact);
    assertKept(await exported(next), facts, unsure);
    await next.kill();
    counts.answers += answers;
    counts.unsure += unsure.size;
  }
  return counts;
}

const contentOf = (key: string, changes: number) => `What is known of ${key}: ${changes}`;

async function remember(server: ServerProcess, fact: Fact): Promise<void> {
  const { key } = fact;
  const body = { content: contentOf(key, 0), path: 'notes', idempotency_key: key };
  const answer = await server.request('POST', '/memories', body);
  assert.ok([200, 201].includes(answer.status), `${answer.status}`);
  const { data } = (await answer.json()) as { data: { memory: { reference: string } } };
  fact.reference = data.memory.reference;
}

const STEPS = [
  remember,
  async (server: ServerProcess, { key, reference }: Fact) => {
    const body = { content: contentOf(key, 1) };
    const answer = await server.request('PUT', `/memories/${reference}`, body);
    assert.equal(answer.status, 200);
  },
  async (server: ServerProcess, { reference }: Fact) => {
    const answer = await server.request('DELETE', `/memories/${reference}?mode=hard`);
    assert.equal(answer.status, 200);
  },
] as const;

async function assertSound(folder: string): Promise<void> {
  const store = openStore(`file:${join(folder, 'toolcrib.db')}`);
  try {
    assert.deepEqual((await checkStore(store)).faults, []);
  } finally {
    store.close();
  }
}

/** The contents of all memories. */
async function exported(server: ServerProcess): Promise<string[]> {
  const text = await (await server.request('GET', '/memories/export')).text();
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line).content);
}

/** Compares what is there with what was acknowledged; a step under way was done, or not at all. */
function assertKept(contents: string[], facts: readonly Fact[], unsure: ReadonlySet<Fact>): void {
  const found = new Map<string, string[]>();
  for (const content of contents) {
    const key = /fact-[\d-]+/.exec(content)?.[0] ?? '';
    found.set(key, [...(found.get(key) ?? []), content]);
  }
  for (const fact of facts) {
    const { key, done } = fact;
    const after = (steps: number) => (steps === 3 ? [] : [contentOf(key, steps - 1)]);
    // One that was under way was sent again.
    const first = Math.max(done, 1);
    const allowed = unsure.has(fact)
      ? [after(first), after(Math.min(first + 1, 3))]
      : [after(first)];
    const there = found.get(key) ?? [];
    assert.ok(
      allowed.some((one) => JSON.stringify(one) === JSON.stringify(there)),
      `${key} after ${done} steps: ${JSON.stringify(there)}`,
    );
    if (unsure.has(fact))
      fact.done = there.length === 0 ? 3 : there[0] === contentOf(key, 0) ? 1 : 2;
    found.delete(key);
  }
  assert.deepEqual([...found.keys()], []);
}
