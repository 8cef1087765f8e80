import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Scope } from '../../src/auth/authorize.ts';
import { BASE } from '../helper.ts';
import { failureOf } from '../http/failure.ts';
import { call, iso, MINUTE_MS, type ShownCall, startUsageApp } from './report-calls.ts';

test('access', async (t) => {
  const { app, inject, newTool, stats, data, addUser } = await startUsageApp(t);
  const { name, tool_id } = await newTool();
  const since = iso(Date.now() - MINUTE_MS);
  const until = iso(Date.now() + MINUTE_MS);
  const period = `since=${since}&until=${until}`;

  function as(
    authorization: string,
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    body?: object,
  ) {
    return inject({
      method,
      url: `${BASE}${path}`,
      headers: { authorization, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { payload: JSON.stringify(body) }),
    });
  }

  const report = { calls: [{ name, ...call() }] };
  const routes: readonly [string, Scope, Parameters<typeof as>[1], string, object?][] = [
    [
      'record calls of a tool',
      'usage:write',
      'POST',
      `/tools/${tool_id}/calls`,
      { calls: [call()] },
    ],
    ['record calls', 'usage:write', 'POST', '/calls', report],
    ['list calls', 'usage:read', 'GET', `/tools/${tool_id}/calls`],
    ['export calls', 'usage:read', 'GET', '/calls'],
    ['see usage of a tool', 'tools:read', 'GET', `/tools/${tool_id}/usage`],
    ['see usage', 'tools:read', 'GET', '/usage'],
    ['void calls', 'admin', 'DELETE', `/calls?reporter=nobody&${period}`],
  ];

  await t.test('each route needs its own scope, and no other one is enough', async () => {
    const scopes: Scope[] = ['tools:read', 'tools:write', 'usage:read', 'usage:write', 'admin'];
    for (const scope of scopes) {
      const authorization = await addUser(`with-${scope.replace(':', '-')}`, [scope]);
      for (const [what, needed, method, path, body] of routes) {
        const answer = await as(authorization, method, path, body);
        if (needed === scope) {
          assert.ok(answer.statusCode < 300, `${scope} may ${what}: ${answer.body}`);
          continue;
        }
        const { details } = failureOf(answer, 'AuthorizationError');
        assert.equal(details['scope'], needed, `${scope} must not ${what}`);
      }
    }
    assert.equal((await stats(tool_id)).total_calls, 2);
  });

  await t.test('nobody gets further without valid credentials, whatever the body is', async () => {
    for (const [, , method, path, body] of routes) {
      for (const authorization of ['', 'Basic !!!', 'Bearer abcdef']) {
        failureOf(await as(authorization, method, path, body), 'AuthenticationError');
      }
    }
    const answer = await inject({
      method: 'POST',
      url: `${BASE}/calls`,
      headers: { authorization: 'Basic !!!', 'content-type': 'application/x-ndjson' },
      payload: JSON.stringify({ name, ...call() }),
    });
    failureOf(answer, 'AuthenticationError');
    assert.equal((await stats(tool_id)).total_calls, 2);
  });

  await t.test('every reader sees the calls of all reporters, with who reported them', async () => {
    const { tool_id: own } = await newTool();
    const one = await addUser('reporter-one', ['usage:write']);
    const two = await addUser('reporter-two', ['usage:write']);
    const reader = await addUser('reader', ['usage:read']);
    const path = `/tools/${own}/calls`;
    for (const reporter of [one, two]) {
      await as(reporter, 'POST', path, { calls: [call({ call_id: 'same', caller: 'agent' })] });
    }
    const { calls } = (await as(reader, 'GET', path)).json().data as { calls: ShownCall[] };
    // The second one sent a call that the first one had sent: it is one call, of the first.
    assert.deepEqual(
      calls.map(({ reporter, caller }) => [reporter, caller]),
      [['reporter-one', 'agent']],
    );
  });

  await t.test('a reporter cannot be named in the report', async () => {
    const authorization = await addUser('impostor', ['usage:write']);
    const calls = [{ ...call(), reporter: 'reporter-one' }];
    failureOf(
      await as(authorization, 'POST', `/tools/${tool_id}/calls`, { calls }),
      'ValidationError',
    );
  });

  await t.test('voiding takes one reporter of one period, and leaves all others', async () => {
    const { tool_id: own } = await newTool();
    const authorizations = [];
    for (const who of ['void-one', 'void-two'])
      authorizations.push(await addUser(who, ['usage:write']));
    const moments = [-50, -30, -20].map((minutes) => Date.now() + minutes * MINUTE_MS);
    for (const authorization of authorizations) {
      const calls = moments.map((ms) => call({ timestamp: iso(ms) }));
      await as(authorization, 'POST', `/tools/${own}/calls`, { calls });
    }
    const [, second = 0, third = 0] = moments;
    const remove = (query: string) => inject({ method: 'DELETE', url: `${BASE}/calls?${query}` });
    const query = `reporter=void-one&since=${iso(second)}&until=${iso(third)}`;
    assert.equal((await remove(query)).json().data.voided, 1);
    assert.equal((await remove(query)).json().data.voided, 0);
    const { calls } = await data<{ calls: ShownCall[] }>(`/tools/${own}/calls`);
    const left = Map.groupBy(calls, ({ reporter }) => reporter);
    assert.deepEqual([left.get('void-one')?.length, left.get('void-two')?.length], [2, 3]);
    assert.equal((await stats(own)).total_calls, 5);
    for (const wrong of [
      '',
      'reporter=a',
      `reporter=&${period}`,
      `reporter=a&since=${until}&until=${since}`,
      `reporter=a&since=${since}&until=${since}`,
      `reporter=${'a'.repeat(129)}&${period}`,
      `reporter=a&${period}&tool=x`,
    ]) {
      failureOf(await remove(wrong), 'ValidationError');
    }
  });

  await t.test(
    'a removed reporter is shown and voided by the id, and its successor is someone else',
    async () => {
      const { tool_id: own } = await newTool();
      const first = await addUser('twice', ['usage:write']);
      await as(first, 'POST', `/tools/${own}/calls`, { calls: [call()] });
      assert.equal(
        (await inject({ method: 'DELETE', url: `${BASE}/users/twice` })).statusCode,
        200,
      );
      failureOf(
        await as(first, 'POST', `/tools/${own}/calls`, { calls: [call()] }),
        'AuthenticationError',
      );
      const second = await addUser('twice', ['usage:write']);
      await as(second, 'POST', `/tools/${own}/calls`, { calls: [call({ execution_time_ms: 20 })] });
      const { calls } = await data<{ calls: ShownCall[] }>(`/tools/${own}/calls`);
      const [latest, former] = calls;
      assert.equal(latest?.reporter, 'twice');
      assert.ok(former !== undefined && former.reporter !== 'twice');
      const answer = await inject({
        method: 'DELETE',
        url: `${BASE}/calls?reporter=${former.reporter}&${period}`,
      });
      assert.equal(answer.json().data.voided, 1);
      assert.equal((await stats(own)).avg_execution_time_ms, 20);
    },
  );

  await t.test('what is read of usage is not kept by caches of others', async () => {
    for (const [, , method, path] of routes.filter(([, , one]) => one === 'GET')) {
      const answer = await app.inject({ method, url: BASE + path });
      assert.equal(answer.headers['cache-control'], 'no-store', path);
      const good = await inject({ method, url: BASE + path });
      assert.match(String(good.headers['cache-control']), /no-store|private|no-cache/, path);
    }
  });
});
