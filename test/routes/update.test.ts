import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startApp } from '../helper.ts';
import { failureOf } from '../http/failure.ts';

const GIVEN = {
  description: 'First',
  parameters: {
    q: { type: 'string', description: 'What' },
    n: { type: 'number', description: '' },
  },
  metadata: { category: 'c', version: '1', author: 'a' },
  title: 'Title',
  tags: ['a', 'b'],
  annotations: { readOnlyHint: true, x: 1 },
  input_schema: { type: 'object', properties: { q: { type: 'string' } } },
  output_schema: { type: 'object' },
  server: 'github',
};

/** One other value of each field, and the part of it that must not survive. */
const CHANGES: Record<string, unknown> = {
  name: 'renamed',
  description: '',
  status: 'inactive',
  parameters: { other: { type: 'boolean', description: '' } },
  metadata: { version: '2' },
  title: '',
  tags: [],
  annotations: {},
  input_schema: { type: 'object', required: ['z'] },
  output_schema: { type: 'object', title: 'T' },
  server: 'gitlab',
};

test('update', async (t) => {
  const { get, send } = await startApp(t);
  let count = 0;
  async function register(more: object = {}) {
    const name = `tool${count++}`;
    const answer = await send('POST', '/tools', { tools: [{ name, description: '', ...more }] });
    assert.equal(answer.statusCode, 201, answer.body);
    return answer.json().data.tools[0];
  }
  const tool = async (id: string) => (await get(`/tools/${id}`)).json().data;
  const versions = async (id: string) => (await get(`/tools/${id}/versions`)).json().data;

  for (const [field, value] of Object.entries(CHANGES)) {
    await t.test(`${field} alone is replaced whole, and all else stays`, async () => {
      const was = await register(GIVEN);
      const answer = await send('PUT', `/tools/${was.tool_id}`, { [field]: value });
      assert.equal(answer.statusCode, 200, answer.body);
      const { success, message, data } = answer.json();
      assert.deepEqual([success, message], [true, 'Tool updated successfully']);
      assert.deepEqual(data, { ...was, [field]: value, updated_at: data.updated_at });
      assert.deepEqual(Object.keys(data), Object.keys(was));
      assert.ok(data.updated_at >= was.updated_at);
      const { usage_stats, ...shown } = await tool(was.tool_id);
      const { usage_stats: _none, ...expected } = data;
      assert.deepEqual(shown, expected);
    });
  }

  await t.test('a field that was never given is added in its place', async () => {
    const was = await register();
    const { data } = (await send('PUT', `/tools/${was.tool_id}`, GIVEN)).json();
    assert.deepEqual(Object.keys(data).slice(4, 13), [
      ...['parameters', 'metadata', 'title', 'tags', 'annotations'],
      ...['input_schema', 'output_schema', 'server', 'created_at'],
    ]);
  });

  await t.test('derived parameters follow the input schema until they are given', async () => {
    const schema = (name: string) => ({
      type: 'object',
      properties: { [name]: { type: 'string' } },
    });
    const { tool_id } = await register({ input_schema: schema('a') });
    const put = async (body: object) =>
      Object.keys((await send('PUT', `/tools/${tool_id}`, body)).json().data.parameters);
    assert.deepEqual(await put({ input_schema: schema('b') }), ['b']);
    assert.deepEqual(await put({ parameters: { own: { type: 'any', description: '' } } }), ['own']);
    assert.deepEqual(await put({ input_schema: schema('c') }), ['own']);
  });

  for (const field of Object.keys(CHANGES)) {
    await t.test(`null is no value of ${field}`, async () => {
      const was = await register(GIVEN);
      const answer = await send('PUT', `/tools/${was.tool_id}`, { title: 'New', [field]: null });
      assert.equal(failureOf(answer, 'ValidationError').details.field, field);
      assert.equal((await tool(was.tool_id)).title, 'Title');
    });
  }

  await t.test('what the store sets cannot be set', async () => {
    const { tool_id } = await register();
    for (const [key, value] of [
      ...[
        ['tool_id', 'tool-x'],
        ['created_at', '2024-01-01T12:00:00Z'],
        ['updated_at', '2024-01-01T12:00:00Z'],
      ],
      ...[
        ['usage_stats', {}],
        ['revision', 5],
        ['id', 1],
        ['owner', 'me'],
        ['is_admin', true],
        ['scopes', []],
      ],
    ] as const) {
      const { details } = failureOf(
        await send('PUT', `/tools/${tool_id}`, { [key]: value }),
        'ValidationError',
      );
      assert.equal(details.field, key);
    }
    failureOf(await send('PUT', `/tools/${tool_id}`, { status: 'error' }), 'ValidationError');
    for (const body of [[], 'x', 5, null]) {
      failureOf(await send('PUT', `/tools/${tool_id}`, body), 'ValidationError');
    }
  });

  await t.test(
    'renaming onto an existing name is a clash; onto the own name it is nothing',
    async () => {
      const [one, two] = [await register(), await register()];
      const answer = await send('PUT', `/tools/${two.tool_id}`, { name: one.name, title: 'x' });
      const { message, details } = failureOf(answer, 'ConflictError');
      assert.equal(message, `A tool named '${one.name}' exists`);
      assert.deepEqual(details['names'], [one.name]);
      assert.equal((await tool(two.tool_id)).title, undefined);
      assert.equal(
        (await send('PUT', `/tools/${two.tool_id}`, { name: two.name })).statusCode,
        200,
      );
      assert.equal((await versions(two.tool_id)).pagination.total, 0);
      assert.equal(
        (await send('PUT', `/tools/${two.tool_id}`, { name: two.name.toUpperCase() })).statusCode,
        200,
      );
      assert.equal(
        (await send('PUT', `/tools/${one.tool_id}`, { name: two.name })).statusCode,
        200,
      );
    },
  );

  await t.test(
    'an unchanged body changes nothing: no time, no ETag, no version, no page',
    async () => {
      const was = await register(GIVEN);
      const path = `/tools/${was.tool_id}`;
      const etags = async () => [
        (await get(path)).headers.etag,
        (await get('/tools')).headers.etag,
      ];
      const before = await etags();
      for (const body of [{}, { title: 'Title' }, { ...GIVEN, name: was.name, status: 'active' }]) {
        const answer = await send('PUT', path, body);
        assert.equal(answer.statusCode, 200);
        assert.deepEqual(answer.json().data, was);
      }
      assert.deepEqual(await etags(), before);
      assert.deepEqual((await versions(was.tool_id)).versions, []);
    },
  );

  await t.test('former definitions are kept, the newest first, on pages', async () => {
    const was = await register({ title: 'v0' });
    const titles = ['v1', 'v2', 'v3', 'v4'];
    for (const title of titles) await send('PUT', `/tools/${was.tool_id}`, { title });
    const { versions: kept, pagination } = await versions(was.tool_id);
    assert.deepEqual(
      kept.map((each: { title: string }) => each.title),
      ['v3', 'v2', 'v1', 'v0'],
    );
    assert.deepEqual(
      kept.map((each: { revision: number }) => each.revision),
      [4, 3, 2, 1],
    );
    assert.deepEqual(pagination, { total: 4, size: 10, from: 0, has_more: false });
    const { revision, replaced_at, ...first } = kept[3];
    const { usage_stats, ...definition } = was;
    assert.deepEqual(first, definition);
    assert.match(replaced_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    const page = (await get(`/tools/${was.tool_id}/versions?size=2&from=1`)).json();
    assert.equal(page.message, 'Versions retrieved successfully');
    assert.deepEqual(page.data.versions, kept.slice(1, 3));
    assert.deepEqual(page.data.pagination, { total: 4, size: 2, from: 1, has_more: true });
    const past = (await get(`/tools/${was.tool_id}/versions?from=4`)).json().data;
    assert.deepEqual([past.versions, past.pagination.total], [[], 4]);
  });

  await t.test('an inactive tool is found by its status, and becomes active again', async () => {
    const { tool_id, name } = await register();
    const names = async (status: string) =>
      (await get(`/tools?size=100&status=${status}`))
        .json()
        .data.tools.map((each: { name: string }) => each.name);
    await send('PUT', `/tools/${tool_id}`, { status: 'inactive' });
    assert.ok((await names('inactive')).includes(name) && !(await names('active')).includes(name));
    await send('PUT', `/tools/${tool_id}`, { status: 'active' });
    assert.ok(!(await names('inactive')).includes(name) && (await names('active')).includes(name));
  });

  await t.test('an unknown tool is not found, by any route', async () => {
    for (const answer of [
      await get('/tools/tool-nonexistent'),
      await get('/tools/tool-nonexistent/versions'),
      await send('PUT', '/tools/tool-nonexistent', { title: 'x' }),
      await send('DELETE', '/tools/tool-nonexistent'),
    ]) {
      const { message, details } = failureOf(answer, 'NotFoundError');
      assert.equal(message, "Tool with ID 'tool-nonexistent' not found");
      assert.deepEqual(details, { tool_id: 'tool-nonexistent' });
    }
  });
});

test('remove', async (t) => {
  const { get, send } = await startApp(t);
  const register = async (name: string) =>
    (await send('POST', '/tools', { tools: [{ name, description: 'd', tags: ['t'] }] })).json().data
      .tools[0];

  for (const query of ['', '?force=true', '?force=false&cleanup_dependencies=true', '?pretty']) {
    await t.test(`DELETE ${query} answers as the page says, and the tool is gone`, async () => {
      const { tool_id, name } = await register('removed');
      await send('PUT', `/tools/${tool_id}`, { title: 'has a version' });
      const answer = await send('DELETE', `/tools/${tool_id}${query}`);
      assert.equal(answer.statusCode, 200);
      const { timestamp, ...body } = answer.json();
      const { removed_at } = body.data;
      assert.match(removed_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      const cleanup_summary = { dependent_agents: 0, active_sessions: 0, cached_results: 0 };
      assert.deepEqual(body, {
        success: true,
        message: 'Tool removed successfully',
        data: { tool_id, name, status: 'removed', removed_at, cleanup_summary },
      });
      for (const path of ['', '/versions']) {
        failureOf(await get(`/tools/${tool_id}${path}`), 'NotFoundError');
      }
      failureOf(await send('PUT', `/tools/${tool_id}`, { title: 'x' }), 'NotFoundError');
      failureOf(await send('DELETE', `/tools/${tool_id}`), 'NotFoundError');
      for (const filter of ['', '?search=removed', '?tags=t']) {
        assert.equal((await get(`/tools${filter}`)).json().data.pagination.total, 0);
      }
    });
  }

  await t.test('a name that is registered again is a new tool', async () => {
    const first = await register('again');
    await send('PUT', `/tools/${first.tool_id}`, { title: 'old' });
    await send('DELETE', `/tools/${first.tool_id}`);
    const second = await register('again');
    assert.notEqual(second.tool_id, first.tool_id);
    assert.equal(second.title, undefined);
    assert.equal((await get(`/tools/${second.tool_id}/versions`)).json().data.pagination.total, 0);
    failureOf(await get(`/tools/${first.tool_id}`), 'NotFoundError');
  });

  await t.test('its parameters are true or false', async () => {
    const { tool_id } = await register('kept');
    for (const query of [
      'force=1',
      'force',
      'cleanup_dependencies=yes',
      'forced=true',
      'force=true&force=true',
    ]) {
      const { message } = failureOf(
        await send('DELETE', `/tools/${tool_id}?${query}`),
        'ValidationError',
      );
      assert.equal(message, 'Invalid query parameters');
    }
    assert.equal((await get(`/tools/${tool_id}`)).statusCode, 200);
  });
});
