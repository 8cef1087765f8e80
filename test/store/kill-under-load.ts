import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { checkStore } from '../../src/catalogue/check.ts';
import { openStore } from '../../src/store/store.ts';
import { temporaryFolder } from '../helper.ts';
import { type ServerProcess, startServerProcess } from '../server-process.ts';

const CLIENTS = 4;

/** What the server said it had done, by tool name: the description it must have, null when removed. */
type Acknowledged = Map<string, string | null>;

/** What the change under way makes of each state. */
const NEXT = new Map<string | null, string | null>([
  ['registered', 'updated'],
  ['updated', null],
]);

/**
 * Four clients register, update and remove tools until `enough` answers came; then the server is
 * killed and its file looked at. What was under way at that moment may be there or not.
 */
export async function killUnderLoad(
  t: TestContext,
  { rounds, enough }: { rounds: number; enough: (round: number) => number },
): Promise<number> {
  const folder = temporaryFolder(t);
  const acknowledged: Acknowledged = new Map();
  let total = 0;
  for (let round = 0; round < rounds; round += 1) {
    const server = await startServerProcess(t, folder);
    let answers = 0;
    const unsure = new Set<string>();
    const client = async (which: number) => {
      for (let i = 0; ; i += 1) {
        const name = `tool_${round}_${which}_${i}`;
        unsure.add(name);
        for await (const description of changesOf(server, name)) {
          acknowledged.set(name, description);
          answers += 1;
          if (answers >= enough(round)) await server.kill();
        }
        unsure.delete(name);
      }
    };
    // Each client ends when its connection does.
    const clients = Array.from({ length: CLIENTS }, (_, which) => client(which));
    for (const { reason } of (await Promise.allSettled(clients)) as PromiseRejectedResult[]) {
      if (reason instanceof assert.AssertionError) throw reason;
    }
    await server.kill();
    await assertKept(folder, acknowledged, unsure);
    total += answers;
  }
  return total;
}

/** Registers a tool, updates it, and removes every third; gives each state once it is acknowledged. */
async function* changesOf(server: ServerProcess, name: string): AsyncGenerator<string | null> {
  const tool = { name, description: 'registered' };
  const created = await server.request('POST', '/tools', { tools: [tool] });
  assert.equal(created.status, 201);
  const answer = (await created.json()) as { data: { tools: [{ tool_id: string }] } };
  yield tool.description;
  const path = `/tools/${answer.data.tools[0].tool_id}`;
  const updated = await server.request('PUT', path, { description: 'updated' });
  assert.equal(updated.status, 200);
  yield 'updated';
  if (!name.endsWith('0')) return;
  const removed = await server.request('DELETE', path);
  assert.equal(removed.status, 200);
  yield null;
}

async function assertKept(
  folder: string,
  acknowledged: Acknowledged,
  unsure: ReadonlySet<string>,
): Promise<void> {
  const store = openStore(`file:${join(folder, 'toolcrib.db')}`);
  try {
    const { faults } = await checkStore(store);
    assert.deepEqual(faults, []);
    const found = new Map(
      (await store.tools.getAfter('', 1_000_000)).map((tool) => [
        tool.name,
        JSON.parse(tool.document).description,
      ]),
    );
    for (const name of new Set([...acknowledged.keys(), ...unsure, ...found.keys()])) {
      const last = acknowledged.get(name) ?? null;
      const next = acknowledged.has(name) ? NEXT.get(last) : 'registered';
      const allowed = unsure.has(name) ? [last, next] : [last];
      assert.ok(allowed.includes(found.get(name) ?? null), `${name}: ${found.get(name)}`);
    }
    // What was not sure is now what the file says.
    for (const name of unsure) acknowledged.set(name, found.get(name) ?? null);
  } finally {
    store.close();
  }
}
