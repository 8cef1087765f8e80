import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createToolbox } from '../../src/mcp/built-in-tools.ts';
import { fenced } from '../../src/mcp/memory-text.ts';
import { startApp } from '../helper.ts';

const NAMES = [
  ...['search_memory', 'recall', 'recall_context', 'explain_memory', 'remember', 'update_memory'],
  ...['forget', 'restore_memory', 'get_memory', 'list_memories'],
];

async function start(t: Parameters<typeof startApp>[0]) {
  const app = await startApp(t);
  return {
    ...app,
    async call(name: string, args: object) {
      const answer = await app.inject({
        method: 'POST',
        url: '/mcp',
        headers: { 'content-type': 'application/json' },
        payload: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name, arguments: args },
        }),
      });
      const { result } = answer.json();
      return { ...result, text: result.content[0].text as string };
    },
  };
}

test('each memory tool has a short description, hints and schemas', () => {
  const toolbox = createToolbox();
  for (const name of NAMES) {
    const shown = toolbox.get(name)?.shown;
    assert.ok(shown, name);
    const words = shown.description?.split(/\s+/).length ?? 0;
    assert.ok(words > 15 && words <= 120, `${name}: ${words} words`);
    assert.equal(typeof shown.annotations?.readOnlyHint, 'boolean', name);
    assert.equal(shown.annotations?.openWorldHint, false, name);
    assert.equal(shown.inputSchema.type, 'object', name);
    assert.ok(shown.outputSchema, name);
    assert.ok(!JSON.stringify(shown).includes('"$ref"'), name);
  }
});

test('the ten tools do what the REST routes do, on the same memories', async (t) => {
  const { call, get } = await start(t);
  const { structuredContent: made, text } = await call('remember', {
    content: 'The token identity fallback is the owner',
    path: 'projects/auth',
    agent_id: 'codex',
  });
  const { reference } = made.memory;
  assert.equal(text, `${reference} | projects/auth | semantic | created`);
  assert.deepEqual((await get(`/memories/${reference}`)).json().data, made.memory);

  const found = await call('search_memory', { query: 'token identity fallback', limit: 5 });
  const rest = await get('/memories/search?query=token%20identity%20fallback');
  assert.deepEqual(found.structuredContent.hits, rest.json().data.hits);
  const [line, fence, content, end] = found.text.split('\n').slice(2);
  assert.match(
    line,
    new RegExp(
      `^1\\. ${reference} \\| projects/auth \\| semantic \\| score \\d\\.\\d\\d \\| agent codex$`,
    ),
  );
  assert.deepEqual([fence, content, end], ['```untrusted-data', made.memory.content, '```']);
  assert.match(found.text, /1 hit, 0 more below the bar/);

  const updated = await call('update_memory', { reference, content: 'The fallback is the token' });
  assert.equal(updated.structuredContent.version, 2);
  assert.match((await call('recall', { query: 'fallback' })).text, /The fallback is the token/);
  const pack = await call('recall_context', { query: 'fallback', max_tokens: 100 });
  assert.equal(pack.structuredContent.items.length, 1);
  assert.match((await call('get_memory', { reference })).text, /"version":2/);
  const why = await call('explain_memory', { reference, query: 'fallback' });
  assert.equal(why.structuredContent.explanation.answers, true);
  assert.equal((await call('forget', { reference })).structuredContent.mode, 'soft');
  assert.equal(
    (await call('search_memory', { query: 'fallback' })).structuredContent.hits.length,
    0,
  );
  await call('restore_memory', { reference });
  const list = await call('list_memories', { path_filter: 'projects' });
  assert.equal(list.structuredContent.pagination.total, 1);
});

test('a full answer without a filter advises one before a higher limit', async (t) => {
  const { call } = await start(t);
  for (const path of ['a', 'b', 'c']) await call('remember', { content: `Port of ${path}`, path });
  const full = await call('search_memory', { query: 'port', limit: 2 });
  assert.match(full.text, /2 hits.*path_filter/);
  const narrow = await call('search_memory', { query: 'port', limit: 1, path_filter: 'a' });
  assert.doesNotMatch(narrow.text, /path_filter/);
});

const FAULTS: [string, object, string, RegExp][] = [
  ['search_memory', {}, 'VALIDATION_ERROR', /query: Query is required/],
  ['search_memory', { query: ' ' }, 'VALIDATION_ERROR', /query/],
  ['search_memory', { query: 'x', limit: 51 }, 'VALIDATION_ERROR', /limit: .*between 1 and 50/],
  ['search_memory', { query: 'x', limit: '5' }, 'VALIDATION_ERROR', /limit: .*type integer/],
  ['search_memory', { query: 'x', path: 'a' }, 'VALIDATION_ERROR', /path: .*not a known key/],
  ['search_memory', { query: 'x', memory_type: 'odd' }, 'FILTER_ERROR', /memory_type/],
  ['search_memory', { query: 'x', path_filter: 'a//b' }, 'FILTER_ERROR', /path_filter/],
  ['get_memory', { reference: 'mem-aaaaaaaaaaaaaaaaaaaa' }, 'NOT_FOUND_ERROR', /not found/],
  ['remember', { content: 'x', path: '/x' }, 'VALIDATION_ERROR', /path/],
];

test('what a model can repair is a result with a stable code, the field and the reason', async (t) => {
  const { call } = await start(t);
  for (const [name, args, code, reason] of FAULTS) {
    const { isError, text, _meta } = await call(name, args);
    assert.equal(isError, true, JSON.stringify(args));
    assert.equal(_meta.error.code, code, text);
    assert.ok(text.startsWith(`${code}: `), text);
    assert.match(text, reason);
  }
});

test('nothing in a text closes its fence', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('`', '\n', 'x', 'untrusted-data') }), (text) => {
      const [first = '', ...lines] = fenced(text).split('\n');
      const fence = first.replace('untrusted-data', '');
      assert.equal(lines.pop(), fence);
      assert.ok(lines.every((line) => !line.includes(fence)));
    }),
  );
});
