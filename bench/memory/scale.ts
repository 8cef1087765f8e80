// `npm run bench:memory -- [--memories N] [--owners N] [--largest N] [--seconds N]`: how long
// searches take among many memories, and how many are remembered in a second.
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Principal } from '../../src/auth/authorize.ts';
import { remember } from '../../src/memory/remember.ts';
import { recall, searchMemory } from '../../src/memory/search.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { createTexts } from './texts.ts';

const SEARCHES = 300;
const AT_ONCE = 64;

const { values } = parseArgs({
  options: {
    memories: { type: 'string', default: '1000000' },
    owners: { type: 'string', default: '1000' },
    largest: { type: 'string', default: '100000' },
  },
});
const [memories, owners, largest] = [values.memories, values.owners, values.largest].map(Number);
const folder = mkdtempSync(join(tmpdir(), 'toolcrib-memory-'));
const store = openStore(`file:${join(folder, 'toolcrib.db')}`);
try {
  await run(store, { memories: memories ?? 0, owners: owners ?? 1, largest: largest ?? 0 });
} finally {
  store.close();
  rmSync(folder, { recursive: true });
}

async function run(
  filled: Store,
  size: { memories: number; owners: number; largest: number },
): Promise<void> {
  const texts = createTexts(1);
  const samples = new Map<string, string[]>();
  const others = size.memories - size.largest;
  let last = performance.now();
  for (let done = 0; done < size.memories; done += AT_ONCE) {
    const batch = Array.from({ length: Math.min(AT_ONCE, size.memories - done) }, () => {
      const isLargest = texts.random.next() >= others / size.memories;
      const owner = isLargest ? 'largest' : `owner-${texts.random.int(size.owners - 1)}`;
      const content = texts.content();
      const kept = samples.get(owner) ?? [];
      if (kept.length < 100) samples.set(owner, [...kept, content]);
      const path = `projects/${'abcdefghij'[texts.random.int(10)]}`;
      return remember(filled, principal(owner), { content, path, dedupe: true }, 'mask');
    });
    await Promise.all(batch);
    if (Math.floor((done + AT_ONCE) / 50_000) > Math.floor(done / 50_000)) {
      const now = performance.now();
      console.log(`${done + AT_ONCE} memories, ${Math.round(50_000 / ((now - last) / 1000))}/s`);
      last = now;
    }
  }
  console.log(`file ${(statSync(filled.file).size / 1e6).toFixed(0)} MB`);
  const small = [...samples.keys()].filter((owner) => owner !== 'largest');
  await time('search_memory, owners of 1/1000', () => texts.random.pick(small), searchMemory);
  await time('recall, owners of 1/1000', () => texts.random.pick(small), recall);
  await time('search_memory, the largest owner', () => 'largest', searchMemory);
  await time('recall, the largest owner', () => 'largest', recall);

  async function time(
    name: string,
    ownerOf: () => string,
    search: (store: Store, by: Principal, asked: { query: string }) => Promise<unknown>,
  ): Promise<void> {
    const times: number[] = [];
    for (let at = 0; at < SEARCHES; at += 1) {
      const owner = ownerOf();
      const query = texts.query(texts.random.pick(samples.get(owner) ?? ['']));
      const started = performance.now();
      await search(filled, principal(owner), { query });
      times.push(performance.now() - started);
    }
    times.sort((a, b) => a - b);
    const at = (share: number) => (times[Math.floor(share * times.length)] ?? 0).toFixed(1);
    console.log(`${name}: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms`);
  }
}

function principal(id: string): Principal {
  return { id, name: id, scopes: ['memory:read', 'memory:write'] };
}
