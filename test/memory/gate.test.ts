import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createMemoryReader } from '../../src/store/memory-reader.ts';
import { BASE } from '../helper.ts';
import { startAppWithRoutes } from '../http/declared-routes.ts';
import { ANNA, BERT, keep, startStore } from './people.ts';

/** Where tables of memories are written, kept up or gated; nothing there answers anyone. */
const NOT_ANSWERING = [
  'src/store/memory-gate.ts',
  'src/store/memory-words.ts',
  'src/store/memory-writes.ts',
  'src/store/memories.ts',
  'src/store/memory-maintenance.ts',
];

test('only the gate reads tables of memories; what answers reads what the gate lets through', () => {
  const readers = globSync('src/**/*.ts').filter((file) =>
    /\b(from|join) (memories|memory_\w+)\b/.test(readFileSync(file, 'utf8')),
  );
  assert.deepEqual(
    readers.filter((file) => !NOT_ANSWERING.includes(file)),
    ['src/store/memory-reader.ts'],
  );
  const text = readFileSync('src/store/memory-reader.ts', 'utf8');
  const tables = [...text.matchAll(/\b(?:from|join) (memor\w+)([^`]*)/g)];
  assert.equal(tables.length, 3, 'the index of words, and what waits for it');
  for (const [, table = '', rest = ''] of tables) {
    assert.match(table, /^memory_words/);
    assert.match(rest, /^\s*where owner in \(\$\{idList\(view\.owners\)\}\)/);
  }
});

test('every function of the reader shows a stranger what it shows of an empty store', async (t) => {
  const store = startStore(t);
  const empty = startStore(t);
  const { id, reference } = await keep(store, 'The elephant is grey', { semantic_key: 'k' });
  const page = { sort: 'created_at', order: 'asc', size: 10, from: 0 } as const;
  const hash = store.db.raw.prepare('select content_hash from memories').pluck().get() as Buffer;
  const calls: { [Name in keyof ReturnType<typeof createMemoryReader>]: unknown[][] } = {
    get: [[reference], [reference, 'deleted']],
    byIds: [[[id]]],
    findEqual: [
      ['notes', { hash }],
      ['notes', { key: 'k' }],
    ],
    list: [
      [{}, page],
      [{ holds: () => true }, page],
    ],
    ids: [[{}]],
    versions: [[id, 10, 0]],
    indexed: [[]],
    records: [['eleph']],
    wordsFrom: [['el', 10]],
  };
  const shown = (from: typeof store, viewer: { id: string }) =>
    from.db.read(() => {
      const reader = createMemoryReader(from.db, viewer, Date.now());
      assert.deepEqual(Object.keys(reader).sort(), Object.keys(calls).sort());
      return Object.entries(calls).map(([name, lists]) =>
        lists.map((values) => {
          const result = (reader[name as 'get'] as (...given: unknown[]) => unknown)(...values);
          return JSON.stringify([name, result]);
        }),
      );
    });
  const nothing = shown(empty, BERT);
  assert.deepEqual(shown(store, BERT), nothing);
  const own = shown(store, ANNA);
  for (const [at, name] of Object.keys(calls).entries()) {
    if (name !== 'versions') assert.notDeepEqual(own[at], nothing[at], name);
  }
});

test('every route of memories answers a stranger as if there were none', async (t) => {
  const { inject, addUser, app, routes } = await startAppWithRoutes(t);
  const stranger = await addUser('stranger', ['memory:read', 'memory:write']);
  const body = { content: 'The elephant is grey', path: 'notes' };
  const made = await inject({ method: 'POST', url: `${BASE}/memories`, payload: body });
  const { reference } = made.json().data.memory;
  const paths = routes.filter(
    ({ method, url }) => url.startsWith(`${BASE}/memories`) && method !== 'HEAD',
  );
  assert.ok(paths.length >= 12);
  const timeless = (payload: string, name: string) =>
    payload.replaceAll(name, 'X').replace(/"timestamp":"[^"]*"/, '');
  for (const { method, url } of paths) {
    if (method === 'POST' && !url.includes(':reference')) continue;
    const ask = async (name: string) => {
      const answer = await app.inject({
        method: method as 'GET',
        url: url.replace(':reference', name),
        query:
          method === 'GET' && /(search|recall|context|explain)$/.test(url)
            ? { query: 'elephant' }
            : {},
        headers: { authorization: stranger },
        ...(method === 'PUT' && { payload: { content: 'changed' } }),
      });
      return [answer.statusCode, timeless(answer.payload, name)];
    };
    const answer = await ask(reference);
    assert.deepEqual(answer, await ask(`mem-${'a'.repeat(20)}`), `${method} ${url}`);
    assert.doesNotMatch(String(answer[1]), /elephant/, `${method} ${url}`);
  }
});
