import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { createRandom } from '../../bench/random.ts';
import type { Principal } from '../../src/auth/authorize.ts';
import { createToken } from '../../src/auth/tokens.ts';
import { createSpace } from '../../src/memory/spaces.ts';
import { BASE, startApp } from '../helper.ts';
import { ANNA, keep, principal } from './people.ts';

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

/** A bearer of a token, and what it may read by its own words; absent: everything of the owner's. */
interface Bearer {
  owner: string;
  authorization: string;
  prefixes: readonly string[] | undefined;
}

/**
 * Puts `requests` random requests by real tokens of 20 owners, and compares what they answer with
 * what each may see, worked out here by itself.
 */
export async function findLeaks(t: TestContext, requests: number): Promise<void> {
  const { app, store } = await startApp(t);
  const random = createRandom(11);
  const owners: Principal[] = [];
  for (let number = 0; number < OWNERS; number += 1) {
    const name = `owner-${number}`;
    const scopes = ['memory:read', 'memory:write'] as const;
    // The hash of no password: only tokens are used.
    const user = { id: `usr-${number}`, name, scopes: [...scopes], password_hash: '' };
    await store.users.change(() => ({
      put: { ...user, created_at: 0, updated_at: 0 },
      result: undefined,
    }));
    owners.push({ ...principal(user.id), name });
  }
  const members = new Map<string, string[]>();
  for (const name of SPACES) {
    const own = owners.filter(() => random.next() < 0.4).map(({ id }) => id);
    members.set(name, own);
    const list = own.map((id) => ({ principal: id, role: 'writer' as const }));
    await createSpace(store, ANNA, { name, members: list });
  }
  const known: Known[] = [];
  for (const owner of owners) {
    const own = SPACES.filter((name) => members.get(name)?.includes(owner.id));
    for (let at = 0; at < EACH; at += 1) {
      const space = own.length > 0 && random.next() < 0.3 ? random.pick(own) : undefined;
      const path = `${space ? `space/${space}/` : ''}${random.pick(PATHS)}`;
      const said = Array.from({ length: 4 }, () => random.pick(WORDS)).join(' ');
      const content = `${said} of ${owner.name} no ${at}`;
      const { reference } = await keep(store, content, { path }, owner);
      known.push({ reference, owner: space ?? owner.id, path, content });
    }
  }
  const bearers: Bearer[] = [];
  while (bearers.length < TOKENS) {
    const owner = random.pick(owners);
    const roots = ['', ...SPACES.map((name) => `space/${name}/`)];
    const read_paths = Array.from({ length: 1 + random.int(3) }, () => {
      const path = `${random.pick(roots)}${random.pick(PATHS)}`;
      return random.pick([path, `${path}/%`, 'x', 'space', 'space/alpha/%']);
    });
    const limits = random.next() < 0.2 ? {} : { read_paths };
    const wanted = { name: 'test', scopes: ['memory:read'] as const, ...limits };
    const { text } = await createToken(store, owner, wanted);
    bearers.push({ owner: owner.id, authorization: `Bearer ${text}`, prefixes: limits.read_paths });
  }

  const byReference = new Map(known.map((memory) => [memory.reference, memory]));
  const maySee = ({ owner: id, prefixes }: Bearer, { owner, path }: Known): boolean => {
    if (owner !== id && !members.get(owner)?.includes(id)) return false;
    const plain = prefixes?.map((prefix) => prefix.replace(/\/%$/, ''));
    return plain?.some((prefix) => `${path}/`.startsWith(`${prefix}/`)) ?? true;
  };

  let seen = 0;
  for (let at = 0; at < requests; at += 1) {
    const by = random.pick(bearers);
    const visible = known.filter((memory) => maySee(by, memory));
    const check = (hits: readonly { reference: string }[]) => {
      for (const { reference } of hits) {
        const memory = byReference.get(reference);
        assert.ok(
          memory && maySee(by, memory),
          `${by.owner} ${by.prefixes} sees ${memory?.path} of ${memory?.owner}`,
        );
        seen += 1;
      }
    };
    const ask = async (path: string, query: Record<string, string | number> = {}) => {
      const url = `${BASE}/memories${path}`;
      const { authorization } = by;
      return app.inject({ url, query: stringsOf(query), headers: { authorization } });
    };
    const query = `${random.pick(WORDS)} ${random.pick(WORDS)}`;
    const path_filter = random.pick(['%', '%', random.pick(PATHS), 'space/alpha']);
    const { reference } = random.pick(known);
    const isSeen = maySee(by, byReference.get(reference) as Known);
    const having = visible.filter(({ content }) => hasWord(content, query));
    const inPath = having.filter(({ path }) => isAt(path, path_filter));
    switch (random.int(7)) {
      case 0: {
        const { data } = (await ask('/search', { query, limit: 50, path_filter })).json();
        check(data.hits);
        assert.equal(data.hits.length + data.below_bar, inPath.length);
        break;
      }
      case 1:
        check((await ask('/recall', { query, limit: 50, path_filter })).json().data.hits);
        break;
      case 2: {
        const { data } = (await ask('/context', { query })).json();
        check(data.items);
        assert.equal(data.items.length + data.omitted, having.length);
        break;
      }
      case 3: {
        const { data } = (await ask('', { sort: 'path', size: 100, path_filter })).json();
        check(data.memories);
        const listed = visible.filter(({ path }) => isAt(path, path_filter));
        assert.equal(data.pagination.total, listed.length);
        break;
      }
      case 4:
      case 5: {
        const suffix = random.pick(['', '/explain', '/history']);
        const answer = await ask(`/${reference}${suffix}`);
        if (isSeen) assert.equal(answer.statusCode, 200, answer.body);
        else {
          // To the letter what is said of a memory that nobody has.
          const other = await ask(
            `/${reference.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'))}${suffix}`,
          );
          const told = ({ body }: { body: string }) =>
            body.replace(/mem[\w-]+/g, '').replace(/"timestamp":"[^"]*"/, '');
          assert.equal(answer.statusCode, 404);
          assert.equal(told(answer), told(other));
        }
        break;
      }
      default: {
        const lines = (await ask('/export')).body.split('\n').filter((line) => line !== '');
        const exported = lines.map((line) => JSON.parse(line));
        check(exported);
        assert.equal(exported.length, visible.length);
      }
    }
  }
  assert.ok(seen > requests, 'most requests see something');
}

function stringsOf(query: Record<string, string | number>): Record<string, string> {
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]));
}

function isAt(path: string, filter: string): boolean {
  return filter === '%' || `${path}/`.startsWith(`${filter}/`);
}

function hasWord(content: string, query: string): boolean {
  const words = content.split(' ');
  return query.split(' ').some((word) => words.includes(word));
}
