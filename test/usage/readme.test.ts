import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { BASE, startApp, temporaryFolder } from '../helper.ts';

type Reported = (name: string, callTool: () => Promise<unknown>, url: string) => Promise<unknown>;

test('the script of the README reports what a tool did and hands its result on', async (t) => {
  const { app, authorization } = await startApp(t);
  await app.listen({ port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const tools = [{ name: 'text_analyzer', description: '', parameters: {} }];
  const send = { headers: { authorization } };
  await app.inject({ ...send, method: 'POST', url: `${BASE}/tools`, payload: { tools } });

  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  const script = /```js\n(.*?)```/s.exec(readme)?.[1] ?? '';
  const file = join(temporaryFolder(t), 'reported.mjs');
  const credentials = `\${btoa('username:password')}`;
  assert.ok(script.includes(credentials));
  writeFileSync(file, script.replace(`Basic ${credentials}`, authorization));
  const { reported } = (await import(pathToFileURL(file).href)) as { reported: Reported };
  const url = `http://127.0.0.1:${port}${BASE}/calls`;

  assert.equal(await reported('text_analyzer', async () => 42, url), 42);
  const fault = new Error('The upstream is gone');
  await assert.rejects(
    reported('text_analyzer', () => Promise.reject(fault), url),
    fault,
  );
  const { data } = (await app.inject({ ...send, url: `${BASE}/tools?search=analyzer` })).json();
  const { total_calls, success_rate } = data.tools[0].usage_stats;
  assert.deepEqual({ total_calls, success_rate }, { total_calls: 2, success_rate: 0.5 });
  const usage = (await app.inject({ ...send, url: `${BASE}/usage` })).json();
  assert.match(JSON.stringify(usage), /Error: The upstream is gone/);
});
