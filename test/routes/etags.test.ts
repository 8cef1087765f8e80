import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BASE, startApp } from '../helper.ts';
import { failureOf } from '../http/failure.ts';

test('entity tags', async (t) => {
  const { inject, get, send } = await startApp(t);
  const register = async (name: string) =>
    (await send('POST', '/tools', { tools: [{ name, description: '' }] })).json().data.tools[0]
      .tool_id;
  const id: string = await register('tagged');
  const path = `/tools/${id}`;
  const tagOf = async (of = path) => String((await get(of)).headers.etag);
  const conditional = (
    method: 'GET' | 'PUT' | 'DELETE',
    of: string,
    headers: Record<string, string>,
    body?: object,
  ) => inject({ method, url: BASE + of, headers, ...(body && { payload: body }) });

  await t.test('a tool has a strong one, a list a weak one', async () => {
    assert.match(await tagOf(), /^"[^"]+"$/);
    assert.match(await tagOf('/tools'), /^W\/"[^"]+"$/);
    assert.equal(await tagOf(), await tagOf());
  });

  for (const place of [path, '/tools', '/tools?size=1&pretty']) {
    await t.test(
      `If-None-Match on ${place.replace(id, '{tool_id}')} saves the body, compared weakly`,
      async () => {
        const etag = await tagOf(place);
        const bare = etag.replace('W/', '');
        for (const header of [
          etag,
          bare,
          `W/${bare}`,
          `"x", ${etag}`,
          `${etag},"x"`,
          '*',
          ` ${etag} `,
        ]) {
          for (const method of ['GET', 'HEAD'] as const) {
            const answer = await inject({
              method,
              url: BASE + place,
              headers: { 'if-none-match': header },
            });
            assert.deepEqual([answer.statusCode, answer.body], [304, ''], header);
            assert.equal(answer.headers.etag, etag);
            assert.equal(answer.headers['cache-control'], 'no-store');
            assert.equal(answer.headers['content-type'], undefined);
          }
        }
        for (const header of [
          '"x"',
          'x',
          '',
          bare.slice(1, -1),
          bare.toUpperCase().replace('"', '"x'),
        ]) {
          const answer = await conditional('GET', place, { 'if-none-match': header });
          assert.equal(answer.statusCode, 200, header);
        }
      },
    );
  }

  await t.test('every change gives new tags to the tool and the lists', async () => {
    const seen = new Set([await tagOf()]);
    const lists = new Set([await tagOf('/tools')]);
    for (const title of ['a', 'b', 'a', 'b']) {
      await send('PUT', path, { title });
      seen.add(await tagOf());
      lists.add(await tagOf('/tools'));
    }
    assert.deepEqual([seen.size, lists.size], [5, 5]);
    const other = await register('other');
    lists.add(await tagOf('/tools'));
    await send('DELETE', `/tools/${other}`);
    lists.add(await tagOf('/tools'));
    assert.equal(lists.size, 7);
    assert.equal(seen.size, seen.add(await tagOf()).size);
  });

  await t.test(
    'If-Match lets a change through for the current tag, a list of tags, or *',
    async () => {
      for (const [at, wrap] of [
        (tag: string) => tag,
        (tag: string) => `"x-1", ${tag}`,
        (tag: string) => `${tag},"x-1"`,
        () => '*',
        (tag: string) => ` ${tag} `,
      ].entries()) {
        const headers = { 'if-match': wrap(await tagOf()) };
        const answer = await conditional('PUT', path, headers, { title: `match ${at}` });
        assert.equal(answer.statusCode, 200, headers['if-match']);
      }
    },
  );

  await t.test(
    'If-Match refuses an old, weak, foreign or malformed tag, and nothing changes',
    async () => {
      const old = await tagOf();
      await send('PUT', path, { title: 'newer' });
      const current = await tagOf();
      const foreign = await tagOf(`/tools/${await register('foreign')}`);
      const refused = [
        old,
        `W/${current}`,
        foreign,
        '"x-1"',
        'x',
        '',
        '""',
        '"*"',
        current.slice(1, -1),
        `${old}, W/${current}`,
      ];
      for (const header of refused) {
        for (const answer of [
          await conditional('PUT', path, { 'if-match': header }, { title: 'lost' }),
          await conditional('DELETE', path, { 'if-match': header }),
        ]) {
          const { details } = failureOf(answer, 'PreconditionFailedError');
          assert.equal(details.field, 'If-Match');
          assert.equal(details['tool_id'], id);
        }
      }
      assert.equal(await tagOf(), current);
    },
  );

  await t.test('a tool that is gone is not found, whatever If-Match says', async () => {
    for (const header of ['*', await tagOf()]) {
      const answer = await conditional('PUT', '/tools/tool-none', { 'if-match': header }, {});
      failureOf(answer, 'NotFoundError');
    }
  });

  await t.test('If-Match guards a removal', async () => {
    const gone = await register('gone');
    const headers = { 'if-match': await tagOf(`/tools/${gone}`) };
    assert.equal((await conditional('DELETE', `/tools/${gone}`, headers)).statusCode, 200);
  });
});

test('two clients that read, change and write with If-Match lose no update', async (t) => {
  const { get, send, inject } = await startApp(t);
  const tools = [{ name: 'counter', description: '', annotations: { count: 0 } }];
  const { tool_id } = (await send('POST', '/tools', { tools })).json().data.tools[0];
  let refusals = 0;

  async function count(times: number): Promise<void> {
    for (let done = 0; done < times; ) {
      const read = await get(`/tools/${tool_id}`);
      const { count } = read.json().data.annotations;
      const answer = await inject({
        method: 'PUT',
        url: `${BASE}/tools/${tool_id}`,
        headers: { 'if-match': String(read.headers.etag) },
        payload: { annotations: { count: count + 1 } },
      });
      if (answer.statusCode === 200) done += 1;
      else failureOf(answer, 'PreconditionFailedError');
      refusals += Number(answer.statusCode === 412);
    }
  }

  await Promise.all([count(50), count(50)]);
  assert.equal((await get(`/tools/${tool_id}`)).json().data.annotations.count, 100);
  assert.ok(refusals > 0, 'the clients never met');
});

test('50 registers of one name at once make one tool', async (t) => {
  const { get, send } = await startApp(t);
  const fifty = <Answer>(ask: (at: number) => Promise<Answer>) =>
    Promise.all(Array.from({ length: 50 }, (_, at) => ask(at)));

  for (const name of ['a1', 'b2', 'c3', 'd4', 'e5']) {
    const answers = await fifty((at) =>
      send('POST', '/tools', { tools: [{ name, description: '', title: `${at}` }] }),
    );
    const created = answers.filter(({ statusCode }) => statusCode === 201);
    assert.equal(created.length, 1);
    for (const answer of answers) if (answer !== created[0]) failureOf(answer, 'ConflictError');
    const { tools, pagination } = (await get(`/tools?search=${name}`)).json().data;
    assert.equal(pagination.total, 1);
    assert.deepEqual(tools, created[0]?.json().data.tools);
  }

  const answers = await fifty((at) =>
    send('POST', '/tools/_register', { tools: [{ type: `T${at}`, name: 'f6' }] }),
  );
  const statuses = answers.map(({ statusCode }) => statusCode).sort();
  assert.deepEqual(statuses, [200, ...Array(49).fill(400)]);
  assert.equal((await get('/tools/_list')).json().tools.length, 6);
});
