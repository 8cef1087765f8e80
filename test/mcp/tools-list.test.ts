import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SCOPE_NAMES } from '../../src/auth/authorize.ts';
import { createToken } from '../../src/auth/tokens.ts';
import { startApp, type TestApp } from '../helper.ts';

interface Listed {
  tools: {
    name: string;
    annotations: object;
    inputSchema: object;
    _meta?: { callable: boolean };
  }[];
  nextCursor?: string;
}

async function ask(
  { inject }: Pick<TestApp, 'inject'>,
  method: string,
  params: object = {},
  { url = '/mcp', authorization }: { url?: string; authorization?: string } = {},
) {
  const answer = await inject({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json', ...(authorization && { authorization }) },
    payload: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  return answer.json();
}

const named = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, at) => ({
    name: `${prefix}_${String(at).padStart(4, '0')}`,
    description: 'One of many',
    parameters: {},
  }));

async function fill({ send }: TestApp, tools: object[]): Promise<void> {
  for (let at = 0; at < tools.length; at += 500) {
    const { statusCode, body } = await send('POST', '/tools', { tools: tools.slice(at, at + 500) });
    assert.equal(statusCode, 201, body);
  }
}

const catalogueNames = ({ tools }: Listed) =>
  tools.filter(({ _meta }) => _meta?.callable === false).map(({ name }) => name);

test('pages neither skip nor repeat a tool that stays, whatever comes and goes between them', async (t) => {
  const app = await startApp(t, { TOOLCRIB_MCP_TOOLS: 'all' });
  await fill(app, named(450, 'tool'));
  const first: Listed = (await ask(app, 'tools/list')).result;
  assert.equal(catalogueNames(first).length, 200);
  await fill(app, [...named(3, 'aaa'), ...named(2, 'zzz')]);
  const tools = (await app.get('/tools?size=100&sort=name&search=tool_0199')).json().data.tools;
  await app.send('DELETE', `/tools/${tools[0].tool_id}`);
  const names = catalogueNames(first);
  for (let cursor = first.nextCursor; cursor !== undefined; ) {
    const page: Listed = (await ask(app, 'tools/list', { cursor })).result;
    assert.ok(page.tools.every(({ _meta }) => _meta?.callable === false));
    names.push(...catalogueNames(page));
    cursor = page.nextCursor;
  }
  const expected = [...named(450, 'tool'), ...named(2, 'zzz')].map(({ name }) => name);
  assert.deepEqual(names, expected);
  for (const cursor of ['nonsense', 'NTA', 'bjp0b29s=']) {
    const { error } = await ask(app, 'tools/list', { cursor });
    assert.equal(error.code, -32_602, cursor);
    assert.equal(error.data.field, 'cursor');
  }
  assert.deepEqual((await ask(app, 'tools/list', { cursor: '' })).result.tools[0], first.tools[0]);
});

test('above 200 tools, on the lean path or by the setting, only built-in tools are listed', async (t) => {
  const auto = await startApp(t);
  await fill(auto, named(200, 'tool'));
  assert.equal(catalogueNames((await ask(auto, 'tools/list')).result).length, 200);
  const lean: Listed = (await ask(auto, 'tools/list', {}, { url: '/mcp/lean' })).result;
  assert.deepEqual(catalogueNames(lean), []);
  await fill(auto, named(1, 'more'));
  const many: Listed = (await ask(auto, 'tools/list')).result;
  assert.deepEqual(many, lean);
  const found = await ask(auto, 'tools/call', {
    name: 'search_tools',
    arguments: { query: 'more' },
  });
  assert.equal(found.result.structuredContent.tools[0].name, 'more_0000');
});

test('a tool that is broken in the store, inactive or hidden by a token costs nobody the list', async (t) => {
  const app = await startApp(t);
  const odd = {
    name: 'odd_schema',
    description: '',
    input_schema: {
      type: 'object',
      properties: { any: true, none: false, header: { type: 'string', 'x-mcp-header': 'Region' } },
    },
  };
  await fill(app, [...named(3, 'tool'), odd, { ...named(1, 'recall')[0], name: 'recall' }]);
  const { raw } = app.store.db;
  raw.exec(`update tool_documents set document = '{' where id =
    (select id from tools where name = 'tool_0001')`);
  raw.exec(`update tools set status = 'inactive' where name = 'tool_0002'`);
  const listed: Listed = (await ask(app, 'tools/list')).result;
  assert.deepEqual(catalogueNames(listed), ['odd_schema', 'tool_0000']);
  assert.equal(listed.tools.filter(({ name }) => name === 'recall').length, 1);
  const shown = listed.tools.find(({ name }) => name === 'odd_schema');
  assert.deepEqual(shown?.inputSchema, {
    type: 'object',
    properties: { any: {}, none: { not: {} }, header: { type: 'string' } },
  });
  assert.deepEqual(shown?.annotations, {
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: true,
  });

  const owner = await app.store.users.get('username');
  assert.ok(owner);
  const principal = { id: owner.id, name: 'username', scopes: SCOPE_NAMES };
  const { text } = await createToken(app.store, principal, {
    name: 'narrow',
    scopes: ['tools:read'],
    tool_patterns: ['odd*'],
  });
  const authorization = `Bearer ${text}`;
  const narrow: Listed = (await ask(app, 'tools/list', {}, { authorization })).result;
  assert.deepEqual(catalogueNames(narrow), ['odd_schema']);
  const hidden = await ask(
    app,
    'tools/call',
    { name: 'describe_tool', arguments: { names: ['odd_schema', 'tool_0000'] } },
    { authorization },
  );
  assert.deepEqual(hidden.result.structuredContent.unknown, ['tool_0000']);
});

test('a tool is called by the door of its hint, and says that no server is behind it', async (t) => {
  const app = await startApp(t);
  await fill(app, [
    { name: 'reads', description: '', parameters: {}, annotations: { readOnlyHint: true } },
    { name: 'writes', description: '', parameters: {} },
  ]);
  const codes: unknown[] = [];
  for (const name of ['call_read_tool', 'call_tool']) {
    for (const tool of ['reads', 'writes', 'nothing']) {
      const { result } = await ask(app, 'tools/call', { name, arguments: { name: tool } });
      assert.equal(result.isError, true);
      codes.push(result._meta.error.code);
    }
  }
  assert.deepEqual(codes, [
    ...['NO_SERVER', 'NOT_READ_ONLY', 'NOT_FOUND_ERROR'],
    ...['NO_SERVER', 'NO_SERVER', 'NOT_FOUND_ERROR'],
  ]);
  const { data } = (await app.get('/usage')).json();
  assert.ok(!JSON.stringify(data).includes('"calls":1'));
});
