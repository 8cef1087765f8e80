import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forget, updateMemory } from '../../src/memory/change.ts';
import { recallContext } from '../../src/memory/context.ts';
import { explainMemory } from '../../src/memory/explain.ts';
import { getMemory, listMemories, memoryHistory } from '../../src/memory/read.ts';
import { remember } from '../../src/memory/remember.ts';
import { type MemorySearch, recall, searchMemory } from '../../src/memory/search.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { ANNA, BERT, keep, startStore } from './people.ts';

const NOT_FOUND = { name: 'NotFoundError' };
const LIST = { sort: 'created_at', size: 100, from: 0 } as const;

async function found(store: Store, query: string, more: Partial<MemorySearch> = {}) {
  const { hits } = await searchMemory(store, ANNA, { query, limit: 50, ...more });
  return hits.map(({ content }) => content);
}

async function recalled(store: Store, query: string, more: Partial<MemorySearch> = {}) {
  const { hits } = await recall(store, ANNA, { query, limit: 50, ...more });
  return hits.map(({ content }) => content);
}

/** What every read path shows of a memory that should be gone. */
async function tracesOf(store: Store, reference: string, query: string): Promise<string[]> {
  const traces: string[] = [];
  if ((await found(store, query)).length > 0) traces.push('search');
  if ((await recalled(store, query)).length > 0) traces.push('recall');
  const pack = await recallContext(store, ANNA, { query });
  if (pack.items.length > 0 || pack.omitted > 0) traces.push('context');
  if ((await listMemories(store, ANNA, LIST)).total > 0) traces.push('list');
  if ((await listMemories(store, ANNA, { ...LIST, search: query })).total > 0)
    traces.push('search');
  for (const read of [getMemory, explainMemory]) {
    await read(store, ANNA, reference).then(
      () => traces.push(read.name),
      () => undefined,
    );
  }
  await memoryHistory(store, ANNA, reference, 10, 0).then(
    () => traces.push('history'),
    () => undefined,
  );
  return traces;
}

test('a memory with the three ideas is found, one with only "token" is not', async (t) => {
  const store = startStore(t);
  const answer =
    'Without a token the gateway falls back: identity fallback is the token of the node';
  await keep(store, answer);
  await keep(store, 'The token expires after an hour');
  const { hits, below_bar } = await searchMemory(store, ANNA, {
    query: 'token identity fallback',
    limit: 5,
  });
  assert.deepEqual(
    hits.map(({ content }) => content),
    [answer],
  );
  assert.equal(below_bar, 1);
});

test('a nonsense query finds nothing, not even forgivingly', async (t) => {
  const store = startStore(t);
  await keep(store, 'Anna likes coffee in the morning');
  assert.deepEqual(await found(store, 'xyzzy plugh quux'), []);
  assert.deepEqual(await recalled(store, 'xyzzy plugh quux'), []);
});

test('the better answer scores higher', async (t) => {
  const store = startStore(t);
  await keep(store, 'Anna reads at night');
  await keep(store, 'Anna drinks black coffee');
  assert.deepEqual(await recalled(store, 'coffee'), ['Anna drinks black coffee']);
});

test('no text is a syntax error', async (t) => {
  const store = startStore(t);
  await keep(store, 'pre-edit hooks run at 3 GB/s; foo:bar, multi-agent');
  const texts = [
    ...['pre-edit', 'GB/s', "'", '"', '"open', 'a AND', 'NEAR(', '*', '-', '(', ')', '^', ':'],
    ...['foo:bar', 'tier1-test AND unicode', 'x OR', '%', '_', '\\', '```', '{}', '🙂', '???'],
    'x'.repeat(4_096),
    'word '.repeat(800),
    '"'.repeat(4_000),
  ];
  for (const text of texts) {
    await found(store, text);
    await recalled(store, text);
    await recallContext(store, ANNA, { query: text });
  }
  assert.deepEqual(await found(store, 'pre-edit'), [
    'pre-edit hooks run at 3 GB/s; foo:bar, multi-agent',
  ]);
});

test('Chinese, mixed scripts, accents, Cyrillic and Thai are found', async (t) => {
  const store = startStore(t);
  const texts = {
    chinese: '我们在腾讯云上部署服务',
    mixed: '使用 Kubernetes 部署到腾讯云 cluster',
    german: 'Herr Müller wohnt in der Straße am Fluss',
    russian: 'Встреча назначена на пятницу',
    thai: 'ประชุมทีมวันศุกร์',
  };
  for (const text of Object.values(texts)) await keep(store, text);
  for (const query of ['云', '腾讯', '腾讯云']) {
    assert.deepEqual(
      (await found(store, query)).sort(),
      [texts.mixed, texts.chinese].sort(),
      query,
    );
  }
  assert.deepEqual(await found(store, '部署 kubernetes'), [texts.mixed]);
  assert.deepEqual(await found(store, '腾讯云部署 Kubernetes'), [texts.mixed]);
  for (const query of ['Müller', 'muller', 'MULLER', 'STRASSE']) {
    assert.deepEqual(await found(store, query), [texts.german], query);
  }
  assert.deepEqual(await found(store, 'пятницу'), [texts.russian]);
  assert.deepEqual(await found(store, 'ทีม'), [texts.thai]);
});

test('near words in Chinese are recalled by what they share', async (t) => {
  const store = startStore(t);
  await keep(store, '支持自注册');
  assert.deepEqual(await recalled(store, '免注册'), ['支持自注册']);
});

test('a path filter is a prefix on whole segments, and its signs are plain', async (t) => {
  const store = startStore(t);
  const paths = ['projects/x', 'projects/x/deep', 'projects/xy', 'a_b', 'aXb', 'Projects/x'];
  for (const path of paths) await keep(store, `A fact about coffee at ${path}`, { path });
  const at = async (path_filter: string) => {
    const { hits } = await searchMemory(store, ANNA, { query: 'coffee', path_filter, limit: 50 });
    const { memories } = await listMemories(store, ANNA, { ...LIST, path_filter });
    const sorted = hits.map(({ path }) => path).sort();
    assert.deepEqual(memories.map(({ path }) => path).sort(), sorted);
    return sorted;
  };
  for (const filter of ['projects/x', 'projects/x/', 'projects/x/%']) {
    assert.deepEqual(await at(filter), ['projects/x', 'projects/x/deep']);
  }
  assert.deepEqual(await at('a_b'), ['a_b']);
  assert.deepEqual(await at('%'), paths.toSorted());
  assert.deepEqual(await at('a'), []);
  for (const path_filter of ['a%b', '/a', 'a//b', '../a', 'a/./b', 'a\\b', 'a\u0007', '%/a']) {
    await assert.rejects(at(path_filter), { name: 'FilterError' }, path_filter);
  }
  await assert.rejects(at('x'.repeat(300)), { name: 'FilterError' });
  await assert.rejects(keep(store, 'x', { path: 'a%b' }), { name: 'ValidationError' });
});

test('types filter, by the other words for them too', async (t) => {
  const store = startStore(t);
  const types = ['semantic', 'episodic', 'procedural', 'working', 'identity'] as const;
  for (const memory_type of types) await keep(store, `coffee is ${memory_type}`, { memory_type });
  const of = async (memory_type: string) =>
    (await found(store, 'coffee', { memory_type })).map((text) => text.split(' ').at(-1)).sort();
  assert.deepEqual(await of('durable'), ['episodic', 'identity', 'procedural', 'semantic']);
  assert.deepEqual(await of('event'), ['episodic']);
  assert.deepEqual(await of('working'), ['working']);
  assert.deepEqual(await of('%'), types.toSorted());
  await assert.rejects(of('unknown'), { name: 'FilterError' });
});

test("another's reference is like one that never was", async (t) => {
  const store = startStore(t);
  const { reference } = await keep(store, 'Anna alone knows this');
  for (const read of [getMemory, explainMemory]) {
    await assert.rejects(read(store, BERT, reference), {
      ...NOT_FOUND,
      message: `Memory '${reference}' not found`,
    });
  }
  for (const mode of ['soft', 'hard', 'redact'] as const) {
    await assert.rejects(forget(store, BERT, reference, { mode }), NOT_FOUND);
  }
  await assert.rejects(updateMemory(store, BERT, reference, { content: 'x' }, 'mask'), NOT_FOUND);
  assert.equal((await getMemory(store, ANNA, reference)).content, 'Anna alone knows this');
});

test('what was updated is found by its new words only', async (t) => {
  const store = startStore(t);
  const { reference } = await keep(store, 'The elephant is grey');
  await updateMemory(store, ANNA, reference, { content: 'The giraffe is tall' }, 'mask');
  assert.deepEqual(await recalled(store, 'elephant'), []);
  assert.deepEqual(await found(store, 'giraffe'), ['The giraffe is tall']);
});

for (const mode of ['soft', 'hard', 'redact'] as const) {
  test(`what was forgotten (${mode}) shows nowhere`, async (t) => {
    const store = startStore(t);
    const { reference } = await keep(store, 'The elephant is grey');
    await forget(store, ANNA, reference, { mode });
    const traces = await tracesOf(store, reference, 'elephant');
    const isKept = mode === 'redact';
    assert.deepEqual(traces, isKept ? ['list', 'getMemory', 'explainMemory', 'history'] : []);
  });
}

test('what expired shows nowhere from its moment on', async (t) => {
  const store = startStore(t);
  const expires_at = new Date(Date.now() + 60_000).toISOString();
  const { reference } = await keep(store, 'The elephant is grey', { expires_at });
  assert.deepEqual(await found(store, 'elephant'), ['The elephant is grey']);
  t.mock.timers.enable({ apis: ['Date'], now: Date.parse(expires_at) - 1 });
  assert.deepEqual(await found(store, 'elephant'), ['The elephant is grey']);
  t.mock.timers.tick(1);
  assert.deepEqual(await tracesOf(store, reference, 'elephant'), []);
  assert.equal((await store.memories.expireSome(Date.now())).hasErased, true);
  assert.deepEqual(await tracesOf(store, reference, 'elephant'), []);
});

test('50 memories at once from two connections are 50', async (t) => {
  const store = startStore(t);
  const other = openStore(`file:${store.file}`);
  t.after(() => other.close());
  const texts = Array.from({ length: 50 }, (_, number) => `Fact number ${number} of many`);
  await Promise.all(texts.map((text, at) => keep(at % 2 === 0 ? store : other, text)));
  assert.equal((await listMemories(other, ANNA, LIST)).total, 50);
});

test('the same idempotency key is one memory; with something else it is refused', async (t) => {
  const store = startStore(t);
  const given = { content: 'Once', path: 'notes', idempotency_key: 'k', dedupe: false };
  const first = await remember(store, ANNA, given, 'mask');
  const second = await remember(store, ANNA, given, 'mask');
  assert.deepEqual([first.outcome, second.outcome], ['created', 'duplicate']);
  assert.equal(second.memory.reference, first.memory.reference);
  await assert.rejects(remember(store, ANNA, { ...given, content: 'Twice' }, 'mask'), {
    name: 'ConflictError',
  });
  assert.equal((await remember(store, BERT, given, 'mask')).outcome, 'created');
  assert.equal((await listMemories(store, ANNA, LIST)).total, 1);
});

test('reading writes nothing', async (t) => {
  const store = startStore(t);
  const { reference } = await keep(store, 'The elephant is grey');
  const total = () => store.db.raw.prepare('select total_changes()').pluck().get();
  const before = total();
  await tracesOf(store, reference, 'elephant');
  assert.equal(total(), before);
});

test('limits are whole numbers between 1 and 50', async (t) => {
  const store = startStore(t);
  for (const limit of [0, 51, 1.5, '5' as unknown as number]) {
    await assert.rejects(found(store, 'x', { limit }), { name: 'ValidationError' });
  }
  for (const query of ['', '  ', '\n']) {
    await assert.rejects(found(store, query), { name: 'ValidationError' });
  }
});
