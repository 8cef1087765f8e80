import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { createRandom } from '../../bench/random.ts';
import type { Principal } from '../../src/auth/authorize.ts';
import { updateMemory } from '../../src/memory/change.ts';
import { recallContext } from '../../src/memory/context.ts';
import { explainMemory } from '../../src/memory/explain.ts';
import { exportMemories } from '../../src/memory/export-lines.ts';
import { getMemory, listMemories, memoryHistory } from '../../src/memory/read.ts';
import { recall, searchMemory } from '../../src/memory/search.ts';
import { createSpace } from '../../src/memory/spaces.ts';
import { ANNA, keep, principal, startStore } from './people.ts';

const OWNERS = 20;
const TOKENS = 200;
const EACH = 15;
const PATHS = [
  'a',
  'a/b',
  'a/b/c',
  'ab',
  'a_b',
  'projects/x',
  'projects/xy',
  'projects/x/y',
  'notes',
];
const WORDS = 'coffee tea elephant token identity fallback paris river stone music'.split(' ');
const SPACES = ['alpha', 'alpha-2', 'beta'];

interface Known {
  reference: string;
  owner: string;
  path: string;
  content: string;
}

/**
 * Puts `requests` random questions by the tokens of 20 owners, and compares what they answer with
 * what each may see, worked out here by itself.
 */
export async function findLeaks(t: TestContext, requests: number): Promise<void> {
  const store = startStore(t);
  const random = createRandom(11);
  const owners = Array.from({ length: OWNERS }, (_, number) => `owner-${number}`);
  const members = new Map<string, string[]>();
  for (const name of SPACES) {
    const own = owners.filter(() => random.next() < 0.4);
    members.set(name, own);
    const list = own.map((id) => ({ principal: id, role: 'writer' as const }));
    await createSpace(store, ANNA, { name, members: list });
  }
  const known: Known[] = [];
  for (const owner of owners) {
    const own = SPACES.filter((name) => members.get(name)?.includes(owner));
    for (let at = 0; at < EACH; at += 1) {
      const space = own.length > 0 && random.next() < 0.3 ? random.pick(own) : undefined;
      const path = `${space ? `space/${space}/` : ''}${random.pick(PATHS)}`;
      const said = Array.from({ length: 4 }, () => random.pick(WORDS)).join(' ');
      const content = `${said} of ${owner} no ${at}`;
      const { reference } = await keep(store, content, { path }, principal(owner));
      known.push({ reference, owner: space ?? owner, path, content });
      if (random.next() < 0.2) {
        await updateMemory(store, principal(owner), reference, { importance: 1 }, 'mask');
      }
    }
  }
  const tokens = Array.from({ length: TOKENS }, (): Principal => {
    const owner = random.pick(owners);
    const roots = ['', ...SPACES.map((name) => `space/${name}/`)];
    const readPaths = Array.from({ length: random.int(4) }, () => {
      const path = `${random.pick(roots)}${random.pick(PATHS)}`;
      return random.pick([path, `${path}/%`, `${path}/`, '%x', 'space', 'space/alpha/%']);
    });
    return random.next() < 0.2 ? principal(owner) : principal(owner, { readPaths });
  });

  const byReference = new Map(known.map((memory) => [memory.reference, memory]));
  const maySee = ({ id, token }: Principal, { owner, path }: Known): boolean => {
    if (owner !== id && !members.get(owner)?.includes(id)) return false;
    if (token === undefined) return true;
    const prefixes = (token.readPaths ?? []).map((prefix) => prefix.replace(/\/%?$/, ''));
    return prefixes.some((prefix) => `${path}/`.startsWith(`${prefix}/`));
  };

  let seen = 0;
  for (let at = 0; at < requests; at += 1) {
    const by = random.pick(tokens);
    const visible = known.filter((memory) => maySee(by, memory));
    const check = (hits: readonly { reference: string }[]) => {
      for (const { reference } of hits) {
        const memory = byReference.get(reference);
        assert.ok(
          memory && maySee(by, memory),
          `${by.id} ${JSON.stringify(by.token)} sees ${memory?.path} of ${memory?.owner}`,
        );
        seen += 1;
      }
    };
    const query = `${random.pick(WORDS)} ${random.pick(WORDS)}`;
    const path_filter = random.pick(['%', '%', random.pick(PATHS), 'space/alpha']);
    const { reference } = random.pick(known);
    const isSeen = maySee(by, byReference.get(reference) as Known);
    switch (random.int(7)) {
      case 0: {
        const { hits, below_bar } = await searchMemory(store, by, {
          query,
          limit: 50,
          path_filter,
        });
        check(hits);
        const having = visible.filter(
          ({ content, path }) => isAt(path, path_filter) && hasWord(content, query),
        );
        assert.equal(hits.length + below_bar, having.length);
        break;
      }
      case 1:
        check((await recall(store, by, { query, limit: 50, path_filter })).hits);
        break;
      case 2: {
        const pack = await recallContext(store, by, { query });
        check(pack.items);
        const having = visible.filter(({ content }) => hasWord(content, query));
        assert.equal(pack.items.length + pack.omitted, having.length);
        break;
      }
      case 3: {
        const page = { sort: 'path', size: 100, from: 0, path_filter } as const;
        const { memories, total } = await listMemories(store, by, page);
        check(memories);
        assert.equal(total, visible.filter(({ path }) => isAt(path, path_filter)).length);
        break;
      }
      case 4:
      case 5: {
        const read = random.pick([
          getMemory,
          explainMemory,
          (...[s, p, r]: Parameters<typeof getMemory>) => memoryHistory(s, p, r, 5, 0),
        ]);
        const outcome = await read(store, by, reference).then(
          () => 'found',
          (error: Error) => error.message,
        );
        assert.equal(outcome, isSeen ? 'found' : `Memory '${reference}' not found`);
        break;
      }
      default: {
        let lines = '';
        for await (const part of await exportMemories(store, by, {})) lines += part;
        const exported = lines
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line));
        check(exported);
        assert.equal(exported.length, visible.length);
      }
    }
  }
  assert.ok(seen > requests, 'most requests see something');
}

function isAt(path: string, filter: string): boolean {
  return filter === '%' || `${path}/`.startsWith(`${filter}/`);
}

function hasWord(content: string, query: string): boolean {
  const words = content.split(' ');
  return query.split(' ').some((word) => words.includes(word));
}
