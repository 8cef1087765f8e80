import assert from 'node:assert/strict';
import { test } from 'node:test';
import { registerTools } from '../../src/catalogue/register.ts';
import { startApp } from '../helper.ts';
import { failureOf } from '../http/failure.ts';

const NO_CALLS = { total_calls: 0, success_rate: 0, avg_execution_time_ms: 0 };
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

const FULL = {
  server: 'github',
  output_schema: { type: 'object', properties: { hits: { type: 'array' } } },
  input_schema: { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] },
  annotations: { readOnlyHint: true, x: [1, { y: null }] },
  tags: ['b', 'a', 'b'],
  title: 'Full',
  metadata: { author: 'A', category: 'c', version: '1' },
  parameters: {
    q: { type: 'string', description: 'What', required: true, default: null, enum: [1, 'a', null] },
  },
  description: 'All there is',
  name: 'full',
};

test('register', async (t) => {
  const { get, send } = await startApp(t);
  const tool = (name: string, more: object = {}) => ({
    name,
    description: `This is ${name}`,
    ...more,
  });
  const register = (tools: unknown, query = '') => send('POST', `/tools${query}`, { tools });
  const total = async () => (await get('/tools')).json().data.pagination.total;

  await t.test(
    'a tool of a name and a description has these, parameters and what the store adds',
    async () => {
      const before = Math.floor(Date.now() / 1000) * 1000;
      const answer = await register([tool('plain')]);
      assert.equal(answer.statusCode, 201);
      const { success, message, data, timestamp } = answer.json();
      assert.deepEqual([success, message], [true, 'Tools registered successfully']);
      assert.match(timestamp, TIME);
      assert.deepEqual(Object.keys(data), ['tools']);
      const [plain] = data.tools;
      const keys = [
        'tool_id',
        'name',
        'description',
        'status',
        'parameters',
        'created_at',
        'updated_at',
        'usage_stats',
      ];
      assert.deepEqual(Object.keys(plain), keys);
      const { tool_id, created_at, updated_at, ...rest } = plain;
      assert.match(tool_id, /^tool-[a-z0-9]{20}$/);
      assert.match(created_at, TIME);
      assert.equal(updated_at, created_at);
      assert.ok(Date.parse(created_at) >= before && Date.parse(created_at) <= Date.now());
      assert.deepEqual(rest, {
        ...tool('plain'),
        status: 'active',
        parameters: {},
        usage_stats: NO_CALLS,
      });
    },
  );

  await t.test('keys are in the order of the page, whatever the order of the request', async () => {
    const [full] = (await register([FULL])).json().data.tools;
    assert.deepEqual(Object.keys(full), [
      ...['tool_id', 'name', 'description', 'status', 'parameters', 'metadata', 'title', 'tags'],
      ...[
        'annotations',
        'input_schema',
        'output_schema',
        'server',
        'created_at',
        'updated_at',
        'usage_stats',
      ],
    ]);
    const { tool_id, status, created_at, updated_at, usage_stats, ...given } = full;
    assert.deepEqual(given, FULL);
    assert.deepEqual(Object.keys(full.metadata), ['author', 'category', 'version']);
    const got = (await get(`/tools/${tool_id}`)).json().data;
    assert.deepEqual(got, { ...full, usage_stats: { ...NO_CALLS, recent_calls: [] } });
    const [listed] = (await get('/tools?category=c')).json().data.tools;
    assert.equal(JSON.stringify(listed), JSON.stringify(full));
  });

  await t.test('empty parts are kept as given', async () => {
    const empty = {
      metadata: {},
      tags: [],
      annotations: {},
      parameters: {},
      title: '',
      input_schema: { type: 'object' },
    };
    const [shown] = (await register([{ name: 'empty', description: '', ...empty }])).json().data
      .tools;
    for (const [key, value] of Object.entries({ description: '', ...empty })) {
      assert.deepEqual(shown[key], value, key);
    }
  });

  await t.test('parameters are derived from the input schema when there are none', async () => {
    const input_schema = {
      type: 'object',
      properties: {
        q: { type: 'string', description: 'What' },
        limit: { anyOf: [{ type: 'integer' }, { type: 'null' }], default: 10 },
        any: true,
      },
      required: ['q'],
    };
    const [shown] = (await register([tool('derived', { input_schema })])).json().data.tools;
    assert.deepEqual(shown.input_schema, input_schema);
    assert.deepEqual(shown.parameters, {
      q: { type: 'string', description: 'What', required: true },
      limit: { type: 'integer', description: '', required: false, default: 10 },
      any: { type: 'any', description: '', required: false },
    });
  });

  await t.test('the answer has the tools in the order of the request', async () => {
    const names = ['z', 'a', 'M', 'k', 'b'];
    const { tools } = (await register(names.map((name) => tool(name)))).json().data;
    assert.deepEqual(
      tools.map((each: { name: string }) => each.name),
      names,
    );
    assert.equal(
      new Set(tools.map((each: { tool_id: string }) => each.tool_id)).size,
      names.length,
    );
  });

  await t.test(
    'one name that exists refuses all, and the clash lists every such name',
    async () => {
      const before = await total();
      const answer = await register([tool('new1'), tool('z'), tool('new2'), tool('a')]);
      const { message, details } = failureOf(answer, 'ConflictError');
      assert.equal(message, 'Tools with these names exist');
      assert.deepEqual(details['names'], ['z', 'a']);
      assert.equal(details.field, 'tools[1].name');
      assert.match(details.reason ?? '', /'z' exists/);
      assert.equal(await total(), before);
    },
  );

  await t.test('one broken rule refuses all', async () => {
    const before = await total();
    for (const broken of [
      { name: 'a b', description: '' },
      tool('ok', { input_schema: { type: 'array' } }),
      tool('ok', { nam: 1 }),
      5,
      null,
    ]) {
      failureOf(await register([tool('fresh'), broken]), 'ValidationError');
    }
    assert.equal(await total(), before);
  });

  await t.test('a name that is repeated in a request is refused at its second place', async () => {
    const answer = await register([tool('twin'), tool('other'), tool('twin'), tool('twin')]);
    const { details } = failureOf(answer, 'ValidationError');
    assert.deepEqual(
      details.errors?.map(({ field }) => field),
      ['tools[2].name', 'tools[3].name'],
    );
    assert.equal((await register([tool('twin'), tool('TWIN'), tool('Twin')])).statusCode, 201);
  });

  await t.test('on_conflict=skip keeps what exists and answers with it', async () => {
    const existing = (await get('/tools?search=plain')).json().data.tools[0];
    const answer = await register(
      [tool('plain', { description: 'Other' }), tool('skipped')],
      '?on_conflict=skip',
    );
    assert.equal(answer.statusCode, 201);
    const [first, second] = answer.json().data.tools;
    assert.deepEqual(first, existing);
    assert.equal(second.name, 'skipped');
    const again = await register([tool('plain'), tool('skipped')], '?on_conflict=skip');
    assert.equal(again.statusCode, 200);
    assert.deepEqual(again.json().data.tools, [existing, second]);
  });

  await t.test('on_conflict=update replaces what is given, as PUT does', async () => {
    const [was] = (await get('/tools?search="All there is"')).json().data.tools;
    const answer = await register(
      [{ name: 'full', description: 'Changed', tags: ['new'] }, tool('updated')],
      '?on_conflict=update',
    );
    assert.equal(answer.statusCode, 201);
    const [now] = answer.json().data.tools;
    assert.deepEqual(now, {
      ...was,
      description: 'Changed',
      tags: ['new'],
      updated_at: now.updated_at,
    });
    const { versions } = (await get(`/tools/${was.tool_id}/versions`)).json().data;
    assert.equal(versions.length, 1);
    assert.equal(versions[0].description, 'All there is');
    const same = await register(
      [{ name: 'full', description: 'Changed', tags: ['new'] }],
      '?on_conflict=update',
    );
    assert.equal(same.statusCode, 200);
    assert.deepEqual(same.json().data.tools, [now]);
    assert.equal((await get(`/tools/${was.tool_id}/versions`)).json().data.pagination.total, 1);
  });

  await t.test('a request needs at least one tool', async () => {
    for (const body of [{}, { tools: [] }, { tools: {} }, { tools: null }, [tool('x')]]) {
      failureOf(await send('POST', '/tools', body), 'ValidationError');
    }
  });

  await t.test('a name is 1 to 128 of the known characters', async () => {
    for (const name of ['x'.repeat(128), 'A.b-c_9', '...', '0']) {
      assert.equal((await register([tool(name)])).statusCode, 201, name);
    }
    for (const name of ['', 'x'.repeat(129), 'a b', 'a/b', 'größe', 'a\n', '天']) {
      const { details } = failureOf(await register([tool(name)]), 'ValidationError');
      assert.equal(details.field, 'tools[0].name');
      assert.match(details.reason ?? '', /1 to 128 of A-Z a-z 0-9 _ \. -/);
    }
  });
});

test('500 tools are registered at once, in order, and 501 are not', async (t) => {
  const { get, send } = await startApp(t);
  const tools = Array.from({ length: 501 }, (_, at) => ({ name: `t${at}`, description: '' }));
  const refused = await send('POST', '/tools', { tools });
  const { details } = failureOf(refused, 'ValidationError');
  assert.deepEqual(details, { field: 'tools', reason: 'Tools must have at most 500 items' });
  const answer = await send('POST', '/tools', { tools: tools.slice(0, 500) });
  assert.equal(answer.statusCode, 201);
  const names = answer.json().data.tools.map(({ name }: { name: string }) => name);
  assert.deepEqual(
    names,
    tools.slice(0, 500).map(({ name }) => name),
  );
  assert.equal((await get('/tools')).json().data.pagination.total, 500);
});

test('registering large texts leaves the event loop to others in between', async (t) => {
  const { store } = await startApp(t);
  let turns = 0;
  let isDone = false;
  const turn = () => {
    turns += 1;
    if (!isDone) setImmediate(turn);
  };
  setImmediate(turn);
  const tools = Array.from({ length: 100 }, (_, at) => ({
    name: `large_${at}`,
    description: 'aB'.repeat(8_000),
  }));
  await registerTools(store, tools);
  isDone = true;
  assert.ok(turns > 10, `${turns} turns`);
});
