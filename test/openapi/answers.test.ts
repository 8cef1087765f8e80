import assert from 'node:assert/strict';
import { renameSync } from 'node:fs';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { InjectOptions } from 'fastify';
import { BASE, basic, startApp } from '../helper.ts';
import { createConformance, type Document, operationsOf, type Received } from './conformance.ts';

const TOOL = { name: 'document_search', description: 'Search documents' };
const FULL_TOOL = {
  ...TOOL,
  name: 'full_tool',
  title: 'Full',
  tags: ['a', 'b'],
  metadata: { category: 'search', version: '1.0.0', author: 'Lucenia Team' },
  annotations: { readOnlyHint: true, further: [1] },
  input_schema: {
    type: 'object',
    properties: { a: { type: ['string', 'null'], enum: ['x', null] }, b: true, c: { $ref: '#' } },
    required: ['a'],
  },
  output_schema: { type: 'object' },
  server: 'files',
};
const JSON_TYPE = { 'content-type': 'application/json' };

/** Not provoked for every operation: they need a slow sender, a broken store or a full disk. */
const RARE = [408, 431, 500, 503, 507];

test('every answer is as documented', async (t) => {
  const { app, store, inject, addUser } = await startApp(t);
  const document: Document = (await inject({ url: '/openapi.json' })).json();
  const conforms = createConformance(document);
  const operations = operationsOf(document);
  const seen = new Set<string>();

  /** Sends to a path of the document, and checks status and conformity. */
  async function send(
    status: number | 'any',
    method: string,
    path: string,
    options: Omit<InjectOptions, 'body'> & {
      body?: unknown;
      parameter?: string;
      suffix?: string;
    } = {},
  ) {
    const { body, parameter = 'tool-abc123', suffix = '', ...rest } = options;
    const answer = await inject({
      ...rest,
      method: method as 'GET',
      url: path.replace(/\{\w+\}/, parameter) + suffix,
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
      headers: { ...(body === undefined ? {} : JSON_TYPE), ...rest.headers },
    });
    const { statusCode, payload } = answer;
    if (status !== 'any') assert.equal(statusCode, status, `${method} ${path}: ${payload}`);
    seen.add(`${conforms(path, method, answer)} ${statusCode}`);
    return answer;
  }

  const at = (path: string) => `${BASE}${path}`;
  const [tools, oneTool] = [at('/tools'), at('/tools/{tool_id}')];
  const [users, oneUser] = [at('/users'), at('/users/{name}')];
  const isWrite = (method: string) => method !== 'GET';
  const isOpen = ({ security }: { security: object[] }) =>
    security.length === 0 || security.some((scheme) => Object.keys(scheme).length === 0);

  await t.test('tools', async () => {
    const registered = await send(201, 'POST', tools, { body: { tools: [TOOL, FULL_TOOL] } });
    const [{ tool_id: parameter }, full] = registered.json().data.tools;
    await send(200, 'POST', tools, { body: { tools: [TOOL] }, suffix: '?on_conflict=skip' });
    await send(409, 'POST', tools, { body: { tools: [TOOL] } });
    await send(400, 'POST', tools, { body: { tools: [{ name: ' ' }, { nam: 'x' }] } });

    const page = await send(200, 'GET', tools);
    await send(304, 'GET', tools, { headers: { 'if-none-match': String(page.headers.etag) } });
    const filters =
      '?size=5&from=0&sort=usage_stats.total_calls&order=desc&category=search&status=active' +
      '&search=full&min_success_rate=0&tags=a&tags=b&read_only=true&author=Lucenia%20Team&server=files';
    assert.equal((await send(200, 'GET', tools, { suffix: filters })).json().data.tools.length, 1);
    await send(200, 'GET', tools, { suffix: '?search=nothing&pretty' });

    const detail = await send(200, 'GET', oneTool, { parameter });
    const tag = String(detail.headers.etag);
    await send(304, 'GET', oneTool, { parameter, headers: { 'if-none-match': tag } });
    await send(200, 'GET', oneTool, { parameter: full.tool_id });
    const change = { body: { description: 'Changed', status: 'inactive' }, parameter };
    await send(200, 'PUT', oneTool, { ...change, headers: { 'if-match': tag } });
    await send(412, 'PUT', oneTool, { ...change, headers: { 'if-match': tag } });
    await send(409, 'PUT', oneTool, { parameter, body: { name: FULL_TOOL.name } });
    const versions = await send(200, 'GET', at('/tools/{tool_id}/versions'), { parameter });
    assert.equal(versions.json().data.versions.length, 1);
    await send(412, 'DELETE', oneTool, { parameter, headers: { 'if-match': tag } });
    await send(200, 'DELETE', oneTool, { parameter, suffix: '?force=true' });
    for (const method of ['GET', 'DELETE']) await send(404, method, oneTool, { parameter });
    await send(404, 'PUT', oneTool, { ...change });
    await send(404, 'GET', at('/tools/{tool_id}/versions'), { parameter });
  });

  await t.test("ml-commons' shapes", async () => {
    const [register, update, remove] = ['_register', '_update', '_remove'].map((name) =>
      at(`/tools/${name}`),
    ) as [string, string, string];
    const tool = { type: 'WebSearchTool', name: 'web', description: null, attributes: { a: 1 } };
    await send(200, 'POST', register, { body: { tools: [tool] } });
    for (const body of [{ tools: [tool] }, { tools: [] }, { tools: [{ type: 'x' }] }, []]) {
      await send(400, 'POST', register, { body });
    }
    await send(200, 'POST', update, { body: { tools: [{ name: 'web', parameters: { b: 2 } }] } });
    await send(404, 'POST', update, { body: { tools: [{ name: 'nobody' }] } });
    await send(200, 'GET', at('/tools/_list'));
    await send(404, 'POST', remove, { body: ['nobody'] });
    await send(200, 'POST', remove, { body: ['web'] });
    await send(404, 'POST', remove, {
      payload: '"web"\nnobody\n',
      headers: { 'content-type': 'application/x-ndjson' },
    });
  });

  await t.test('calls and usage', async () => {
    const { tool_id: parameter } = (
      await send(201, 'POST', tools, { body: { tools: [{ ...TOOL, name: 'called' }] } })
    ).json().data.tools[0];
    const [calls, own] = [at('/calls'), at('/tools/{tool_id}/calls')];
    const call = { execution_time_ms: 1.5, success: false, error: 'e', caller: 'c', call_id: '1' };
    await send(201, 'POST', own, { parameter, body: { calls: [call] } });
    await send(200, 'POST', own, { parameter, body: { calls: [call] } });
    await send(400, 'POST', own, { parameter, body: { calls: [{ ...call, success: 1 }] } });
    await send(404, 'POST', own, { body: { calls: [call] } });
    const named = { ...call, name: 'called' };
    await send(200, 'POST', calls, { body: { calls: [named, { ...named, name: 'nobody' }] } });
    await send(400, 'POST', calls, { body: { calls: [{ ...named, name: 'nobody' }] } });
    await send(201, 'POST', calls, {
      payload: `${JSON.stringify({ ...named, call_id: '2' })}\n{}\n`,
      headers: { 'content-type': 'application/x-ndjson' },
    });
    await send(200, 'GET', own, { parameter, suffix: '?success=false&caller=c&size=1' });
    await send(200, 'GET', own, { parameter, suffix: '?caller=nobody' });
    await send(404, 'GET', own);
    await send(200, 'GET', calls);
    for (const interval of ['minute', 'hour', 'day']) {
      const suffix = `?interval=${interval}`;
      await send(200, 'GET', at('/tools/{tool_id}/usage'), { parameter, suffix });
      await send(200, 'GET', at('/usage'), { suffix: `${suffix}&group_by=caller` });
    }
    await send(404, 'GET', at('/tools/{tool_id}/usage'));
    const period = '?reporter=username&since=2024-01-01T00:00:00Z&until=2999-01-01T00:00:00Z';
    const answer = await send(200, 'DELETE', calls, { suffix: period });
    assert.equal(answer.json().data.voided, 2);
  });

  await t.test('memories and spaces', async () => {
    const [memories, one, spaces, space] = [
      at('/memories'),
      at('/memories/{reference}'),
      at('/spaces'),
      at('/spaces/{name}'),
    ] as [string, string, string, string];
    const body = { content: 'Anna: the token identity fallback', path: 'a/b', agent_id: 'planner' };
    const keyed = { ...body, semantic_key: 'k', expires_at: '2999-01-01T00:00:00Z' };
    const { memory } = (await send(201, 'POST', memories, { body })).json().data;
    await send(200, 'POST', memories, { body });
    await send(201, 'POST', memories, { body: { ...keyed, idempotency_key: 'i' } });
    await send(409, 'POST', memories, { body: { ...body, idempotency_key: 'i' } });
    await send(404, 'POST', memories, { body: { ...body, path: 'space/nobody' } });
    await send(400, 'POST', memories, { body: { ...body, path: '/a' } });
    const filters = '?size=5&sort=path&order=desc&path_filter=a/%25&memory_type=%25&search=token';
    await send(200, 'GET', memories, { suffix: filters });
    await send(200, 'GET', memories, { suffix: '?status=archived' });
    await send(400, 'GET', memories, { suffix: '?memory_type=x' });
    for (const name of ['search', 'recall', 'context']) {
      const path = `${memories}/${name}`;
      await send(200, 'GET', path, { suffix: '?query=token%20identity' });
      await send(400, 'GET', path, { suffix: '?query=token&path_filter=a//b' });
    }
    await send(200, 'GET', `${memories}/search`, { suffix: '?query=token+"a+b"&explain=true' });
    await send(200, 'GET', `${memories}/search`, { suffix: '?query=token+identity&explain=true' });
    const parameter = memory.reference;
    const unknown = `mem-${'a'.repeat(20)}`;
    await send(200, 'GET', one, { parameter });
    await send(200, 'PUT', one, { parameter, body: { content: 'Another', metadata: { a: 1 } } });
    await send(200, 'GET', `${one}/history`, { parameter });
    await send(200, 'GET', `${one}/explain`, { parameter, suffix: '?query=another' });
    await send(200, 'DELETE', one, { parameter });
    await send(200, 'POST', `${one}/restore`, { parameter });
    await send(404, 'POST', `${one}/restore`, { parameter });
    await send(404, 'PUT', one, { parameter: unknown, body: {} });
    await send(404, 'DELETE', one, { parameter: unknown });
    for (const path of [one, `${one}/history`, `${one}/explain`]) {
      await send(404, 'GET', path, { parameter: unknown });
    }
    const lines = (await send(200, 'GET', `${memories}/export`)).payload;
    await send(200, 'POST', `${memories}/import`, { body: { memories: [body] } });
    await send(200, 'POST', `${memories}/import`, {
      payload: `${lines}{}\n`,
      headers: { 'content-type': 'application/x-ndjson' },
    });

    const members = [{ principal: 'usr-1', role: 'reader' }];
    await send(201, 'POST', spaces, { body: { name: 'team', members } });
    await send(409, 'POST', spaces, { body: { name: 'team', members } });
    await send(200, 'GET', spaces);
    await send(200, 'PUT', space, { parameter: 'team', body: { members: [] } });
    await send(200, 'DELETE', space, { parameter: 'team' });
    await send(404, 'PUT', space, { parameter: 'team', body: { members: [] } });
    await send(404, 'DELETE', space, { parameter: 'team' });
  });

  await t.test('users', async () => {
    await send(200, 'GET', at('/whoami'));
    await send(200, 'GET', users);
    const user = { name: 'ci', password: 'long enough', scopes: ['tools:read'] };
    await send(201, 'POST', users, { body: user });
    await send(409, 'POST', users, { body: user });
    await send(400, 'POST', users, { body: { ...user, name: 'ci2', password: 'short' } });
    const parameter = 'ci';
    await send(200, 'GET', oneUser, { parameter });
    await send(200, 'PUT', oneUser, { parameter, body: { scopes: [] } });
    await send(409, 'PUT', oneUser, { parameter: 'username', body: { scopes: [] } });
    await send(409, 'DELETE', oneUser, { parameter: 'username' });
    const password = { parameter, body: { password: 'longer than before' } };
    await send(200, 'PUT', `${oneUser}/password`, password);
    await send(200, 'DELETE', oneUser, { parameter });
    for (const method of ['GET', 'DELETE']) await send(404, method, oneUser, { parameter });
    await send(404, 'PUT', oneUser, { parameter, body: { scopes: [] } });
    await send(404, 'PUT', `${oneUser}/password`, password);
  });

  await t.test('tokens and the audit log', async () => {
    const [tokens, oneToken] = [at('/tokens'), at('/tokens/{token_id}')];
    const limits = { read_paths: ['%'], write_paths: ['a/%'], tool_patterns: ['!a*'] };
    const wanted = { name: 'agent', scopes: ['tools:read'], ...limits };
    const { token } = (await send(201, 'POST', tokens, { body: wanted })).json().data;
    const headers = { authorization: `Bearer ${token}` };
    await send(200, 'GET', at('/whoami'), { headers });
    const own = (await send(201, 'POST', tokens, { body: wanted, headers })).json().data;
    await send(403, 'POST', tokens, { body: { ...wanted, scopes: ['admin'] }, headers });
    await send(400, 'POST', tokens, { body: { ...wanted, read_paths: ['a//b'] } });
    await send(200, 'GET', tokens);
    await send(200, 'DELETE', oneToken, { parameter: own.token_id });
    await send(404, 'DELETE', oneToken, { parameter: own.token_id });
    store.db.raw.exec(`with recursive numbers (n) as (select 1 union all select n + 1 from numbers
        where n < 500) insert into tokens select n, owner, null, name, hash, scopes, limits, 0, null, null
        from tokens, numbers`);
    await send(409, 'POST', tokens, { body: wanted });
    await send(200, 'GET', at('/audit'), { suffix: '?principal=username&action=token.create' });
    await send(200, 'GET', at('/audit'), { suffix: '?action=nothing' });
    await send(200, 'GET', at('/audit/export'), { suffix: '?since=2024-01-01T00:00:00Z' });
  });

  await t.test('service', async () => {
    for (const path of ['/livez', '/readyz', '/openapi.json', '/metrics'])
      await send(200, 'GET', path);
  });

  await t.test('an unknown parameter', async () => {
    for (const { path, method } of operations) {
      await send(400, method, path, { suffix: '?siez=1', ...(isWrite(method) && { body: {} }) });
    }
  });

  await t.test('no credentials, no scope, a foreign origin', async () => {
    const authorization = await addUser('nobody', []);
    for (const { path, method, operation } of operations) {
      if (isOpen(operation)) continue;
      await send(401, method, path, { headers: { authorization: '' } });
      if (Object.values(operation.security[0] ?? {}).flat().length > 0) {
        await send(403, method, path, { headers: { authorization } });
      }
      if (isWrite(method)) {
        await send(403, method, path, { headers: { origin: 'https://elsewhere.example' } });
      }
    }
  });

  await t.test('a method that the path has not', async () => {
    for (const { path, operation } of operations) {
      const parameters = operation.parameters ?? [];
      const url = path.replace(/\{\w+\}/, parameters[0]?.name === 'name' ? 'ci' : 'tool-abc123');
      const answer = await inject({ method: 'PATCH', url });
      const method = Object.keys(document.paths[path] ?? {}).find(
        (name) => document.paths[path]?.[name] === operation,
      );
      assert.equal(answer.statusCode, 405);
      seen.add(`${conforms(path, method ?? '', answer)} 405`);
    }
  });

  await t.test('a body too large or of another type, a parameter too long', async () => {
    const payload = `"${'x'.repeat(4 * 1024 * 1024)}"`;
    for (const { path, method } of operations) {
      if (isWrite(method)) {
        await send(413, method, path, { payload, headers: JSON_TYPE });
        await send(415, method, path, { payload: 'x', headers: { 'content-type': 'text/plain' } });
        await send(415, method, path, { payload: 'x', headers: { 'content-type': 'a/b' } });
        await send(400, method, path, { payload: '{', headers: JSON_TYPE });
      }
      if (path.includes('{')) await send(414, method, path, { parameter: 'x'.repeat(2000) });
    }
  });

  await t.test('headers too large, as the parser answers', async () => {
    await app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = app.server.address() as AddressInfo;
    for (const { path, method } of operations.slice(0, 3)) {
      const answer = await receive(port, method, path, { 'x-large': 'x'.repeat(20_000) });
      assert.equal(answer.statusCode, 431);
      conforms(path, method, answer);
    }
  });

  await t.test('a full disk', async () => {
    const pages = store.db.raw.pragma('page_count', { simple: true });
    store.db.raw.pragma(`max_page_count = ${pages}`);
    const many = Array.from({ length: 200 }, (_, index) => ({
      name: `tool_${index}`,
      type: 'x',
      description: 'x'.repeat(2_000),
    }));
    await send(507, 'POST', at('/tools/_register'), { body: { tools: many } });
    const body = { tools: many.map(({ type: _type, ...tool }) => tool) };
    await send(507, 'POST', tools, { body });
    store.db.raw.pragma(`max_page_count = ${2 ** 30}`);
  });

  await t.test('too many wrong passwords', async () => {
    const authorization = basic('nobody', 'wrong');
    const wrong = { headers: { authorization } };
    while ((await inject({ url: tools, ...wrong })).statusCode === 401);
    for (const { path, method, operation } of operations) {
      if (!isOpen(operation)) await send(429, method, path, wrong);
    }
  });

  await t.test('a reader that is closed', async (closed) => {
    const other = await startApp(closed, { TOOLCRIB_OPEN_DOCS: 'false' });
    const wrong = { headers: { authorization: basic('username', 'wrong') } };
    for (const status of [401, 401, 401, 401, 401, 429]) {
      const answer = await other.app.inject({ url: '/openapi.json', ...wrong });
      assert.equal(answer.statusCode, status);
      seen.add(`${conforms('/openapi.json', 'GET', answer)} ${status}`);
    }
  });

  await t.test('a store that is gone', async () => {
    renameSync(store.file, `${store.file}.moved`);
    await send(503, 'GET', '/readyz');
    store.close();
    for (const { path, method, operation } of operations) {
      const body = operation.requestBody?.content['application/json']?.example;
      await send('any', method, path, { body });
    }
    await send(500, 'GET', tools);
    await send(500, 'GET', at('/tools/_list'));
  });

  const documented = operations.flatMap(({ operation: { operationId, responses } }) =>
    Object.keys(responses)
      .filter((status) => !RARE.includes(Number(status)))
      .map((status) => `${operationId} ${status}`),
  );
  assert.deepEqual(
    documented.filter((answer) => !seen.has(answer)),
    [],
    'documented, but never seen',
  );
});

/** One request over a socket. */
function receive(
  port: number,
  method: string,
  path: string,
  headers: Record<string, string>,
): Promise<Received> {
  return new Promise((resolve, reject) => {
    const sent = request({ port, method, path, headers, agent: false }, (response) => {
      let payload = '';
      response.setEncoding('utf8').on('data', (text: string) => {
        payload += text;
      });
      response.on('end', () =>
        resolve({ statusCode: response.statusCode ?? 0, headers: response.headers, payload }),
      );
    });
    sent.on('error', reject).end();
  });
}
