import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BASE, startApp } from '../helper.ts';

const SCHEMA = { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] };

test('ml-commons', async (t) => {
  const { store, inject, get, send } = await startApp(t);
  const done = (what: string) => ({ [store.nodeId]: { [what]: true } });
  const list = async () => (await get('/tools/_list')).json().tools;
  const lines = (payload: string, type = 'application/x-ndjson') =>
    inject({
      method: 'POST',
      url: `${BASE}/tools/_remove`,
      payload,
      headers: { 'content-type': type },
    });

  async function clear(): Promise<void> {
    const names = (await list()).map(({ name }: { name: string }) => name);
    if (names.length > 0)
      assert.equal((await send('POST', '/tools/_remove', names)).statusCode, 200);
    assert.deepEqual(await list(), []);
  }

  async function succeed(path: string, body: unknown, what: string): Promise<void> {
    const answer = await send('POST', `/tools/${path}`, body);
    assert.equal(answer.statusCode, 200, answer.body);
    assert.match(store.nodeId, /^[\w-]{22}$/);
    assert.deepEqual(answer.json(), done(what));
  }

  await t.test('an empty catalogue lists as empty', async () => {
    assert.equal((await get('/tools/_list')).body, '{"tools":[]}');
  });

  await t.test('what is registered is listed as it was given, in name order, at once', async () => {
    const tools = [
      {
        type: 'B',
        name: 'b',
        description: 'Bee',
        parameters: { a: [1, null] },
        attributes: { strict: false, input_schema: SCHEMA },
      },
      { type: 'A', name: 'a', attributes: { input_schema: JSON.stringify(SCHEMA), x: 1 } },
      { type: 'T', name: 'empty', description: null, parameters: {}, attributes: {} },
    ];
    const before = Date.now();
    await succeed('_register', { tools }, 'created');
    const listed = await list();
    for (const { create_time, last_update_time } of listed) {
      assert.ok(
        Number.isInteger(create_time) && create_time >= before && create_time <= Date.now(),
      );
      assert.equal(last_update_time, create_time);
    }
    const [{ create_time }] = listed;
    const times = { create_time, last_update_time: create_time };
    const [b, a] = tools as [object, object];
    assert.deepEqual(listed, [
      { ...a, ...times },
      { ...b, ...times },
      { type: 'T', name: 'empty', ...times },
    ]);
    assert.deepEqual(Object.keys(listed[1] ?? {}), [
      'type',
      'name',
      'description',
      'parameters',
      'attributes',
      'create_time',
      'last_update_time',
    ]);
  });

  await t.test('the other contract shows the same tools with their schema', async () => {
    for (const name of ['a', 'b']) {
      const { tools } = (await get(`/tools?search=${name}`)).json().data;
      const shown = tools.find((tool: { name: string }) => tool.name === name);
      assert.deepEqual(shown.input_schema, SCHEMA);
      assert.deepEqual(shown.parameters, {
        q: { type: 'string', description: '', required: true },
      });
      assert.equal(shown.ml_commons, undefined);
      assert.equal(shown.type, undefined);
    }
    await clear();
  });

  await t.test('an update replaces what is given whole, and ignores type', async () => {
    const tool = {
      type: 'T',
      name: 'u',
      description: 'd',
      parameters: { a: 1, b: 2 },
      attributes: { strict: true, input_schema: SCHEMA },
    };
    await succeed('_register', { tools: [tool, { type: 'T', name: 'v' }] }, 'created');
    const [before] = await list();
    const updated = async (change: object) => {
      await succeed('_update', { tools: [{ name: 'u', ...change }] }, 'updated');
      const [{ create_time, last_update_time, ...rest }] = await list();
      assert.equal(create_time, before.create_time);
      return rest;
    };
    assert.deepEqual(await updated({}), tool);
    assert.deepEqual((await list())[0], before);
    assert.deepEqual(await updated({ type: 'X', description: 'e' }), { ...tool, description: 'e' });
    assert.ok((await list())[0].last_update_time > before.last_update_time);
    const parameters = { c: 3 };
    assert.deepEqual(await updated({ parameters }), { ...tool, description: 'e', parameters });
    const attributes = { input_schema: '{"type":"object"}' };
    assert.deepEqual(await updated({ attributes }), {
      ...tool,
      description: 'e',
      parameters,
      attributes,
    });
    const { tools } = (await get('/tools?search=u')).json().data;
    assert.deepEqual(tools[0].input_schema, { type: 'object' });
    const { attributes: _gone, ...rest } = tool;
    assert.deepEqual(await updated({ attributes: {} }), { ...rest, description: 'e', parameters });
    assert.equal((await get(`/tools/${tools[0].tool_id}`)).json().data.input_schema, undefined);
    assert.deepEqual(await updated({ description: null, parameters: {} }), {
      type: 'T',
      name: 'u',
    });
  });

  await t.test('several updates of one tool in a request act in their order', async () => {
    await succeed(
      '_update',
      {
        tools: [
          { name: 'u', description: '1', parameters: { a: 1 } },
          { name: 'v', description: 'v' },
          { name: 'u', description: '2' },
        ],
      },
      'updated',
    );
    const [u, v] = await list();
    assert.deepEqual([u.description, u.parameters, v.description], ['2', { a: 1 }, 'v']);
    await clear();
  });

  await t.test(
    'tools of the other contract are listed, and updated without losing anything',
    async () => {
      const tools = [
        { name: 'rest', description: 'd', title: 'T', tags: ['t'], input_schema: SCHEMA },
      ];
      const { tool_id } = (await send('POST', '/tools', { tools })).json().data.tools[0];
      const listed = async () => {
        const [{ create_time, last_update_time, ...rest }] = await list();
        return rest;
      };
      const shown = {
        type: 'rest',
        name: 'rest',
        description: 'd',
        attributes: { input_schema: SCHEMA },
      };
      assert.deepEqual(await listed(), shown);
      await succeed('_update', { tools: [{ name: 'rest', parameters: { a: 1 } }] }, 'updated');
      assert.deepEqual(await listed(), { ...shown, parameters: { a: 1 } });
      const { data } = (await get(`/tools/${tool_id}`)).json();
      assert.deepEqual([data.title, data.tags, data.input_schema], ['T', ['t'], SCHEMA]);
      const input_schema = { type: 'object', title: 'newer' };
      await send('PUT', `/tools/${tool_id}`, { input_schema });
      assert.deepEqual((await listed()).attributes, { input_schema });
      await clear();
    },
  );

  await t.test('names are compared exactly', async () => {
    const tools = ['my-tool', 'my-other', 'My-Tool', 'tool', 'my', 'my_tool'].map((name) => ({
      type: 'T',
      name,
    }));
    for (const tool of tools) await succeed('_register', { tools: [tool] }, 'created');
    await succeed('_update', { tools: [{ name: 'my-tool', description: 'only me' }] }, 'updated');
    const described = (await list()).filter(
      ({ description }: { description?: string }) => description,
    );
    assert.deepEqual(
      described.map(({ name }: { name: string }) => name),
      ['my-tool'],
    );
    await succeed('_remove', ['my-tool'], 'removed');
    const names = (await list()).map(({ name }: { name: string }) => name);
    assert.deepEqual(names, ['My-Tool', 'my', 'my-other', 'my_tool', 'tool']);
    await clear();
  });

  await t.test('names to remove come in every form that clients send', async () => {
    const names = 'abcdefgh'.split('');
    const forms: [string, () => ReturnType<typeof lines>][] = [
      ['an array', () => send('POST', '/tools/_remove', names)],
      ['one text', () => send('POST', '/tools/_remove', [names.join()])],
      [
        'texts and blanks',
        () => send('POST', '/tools/_remove', [' a , b', 'c,d,,', '', ' e', 'f,\tg ,h']),
      ],
      ['a name twice', () => send('POST', '/tools/_remove', [...names, 'a', 'b,b'])],
      ['lines', () => lines(`${names.join('\n')}\n`)],
      ['lines of JSON', () => lines(names.map((name) => `"${name}"\n`).join(''))],
      ['Windows lines', () => lines(names.join('\r\n'))],
      ['a line of JSON array', () => lines(JSON.stringify(names))],
      ['lines and commas', () => lines('a,b\n\n c , d\n["e","f"]\n"g, h"')],
      [
        'lines with a charset',
        () => lines(names.join('\n'), 'application/x-ndjson; charset=utf-8'),
      ],
    ];
    for (const [form, remove] of forms) {
      await succeed('_register', { tools: names.map((name) => ({ type: 'T', name })) }, 'created');
      const answer = await remove();
      assert.equal(answer.statusCode, 200, `${form}: ${answer.body}`);
      assert.deepEqual(answer.json(), done('removed'));
      assert.deepEqual(await list(), [], form);
    }
  });
});

test('_list shows all tools, however many', async (t) => {
  const { get, send } = await startApp(t);
  const names = Array.from({ length: 2001 }, (_, at) => `t${String(at).padStart(4, '0')}`);
  for (let from = 0; from < names.length; from += 500) {
    const tools = names.slice(from, from + 500).map((name) => ({ type: 'T', name }));
    assert.equal((await send('POST', '/tools/_register', { tools })).statusCode, 200);
  }
  const { tools } = (await get('/tools/_list')).json();
  assert.deepEqual(
    tools.map(({ name }: { name: string }) => name),
    names,
  );
});
