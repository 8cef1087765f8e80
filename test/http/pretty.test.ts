import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BASE, startApp } from '../helper.ts';

test('pretty', async (t) => {
  const { inject, send } = await startApp(t);
  const tools = [{ name: 'sky', description: 'größe 天' }];
  assert.equal((await send('POST', '/tools', { tools })).statusCode, 201);
  const ask = (path: string) => inject({ method: 'GET', url: BASE + path });
  const timeless = (body: string) => body.replace(/"timestamp": ?"[^"]*"/, '');

  for (const path of [
    '/tools',
    '/tools?size=0',
    '/nothing',
    '/tools/_list',
    '/tools/_list?size=1',
    '/whoami',
  ]) {
    await t.test(
      `indents the answer of ${path}, with the same content and its length`,
      async () => {
        const plain = await ask(path);
        for (const flag of ['pretty', 'pretty=true', 'pretty=', 'human&pretty', '%70retty']) {
          const { statusCode, headers, body } = await ask(
            `${path}${path.includes('?') ? '&' : '?'}${flag}`,
          );
          // A name in escapes is the same name, but is not worth a decoding of each request.
          const indented = flag.startsWith('%')
            ? plain.body
            : `${JSON.stringify(JSON.parse(plain.body), null, 2)}\n`;
          assert.equal(timeless(body), timeless(indented), flag);
          assert.equal(statusCode, plain.statusCode);
          assert.equal(headers['content-length'], String(Buffer.byteLength(body)));
          assert.equal(headers['content-type'], plain.headers['content-type']);
        }
      },
    );
  }

  await t.test('does nothing when it is false or the value of something else', async () => {
    for (const query of ['pretty=false', 'search=pretty', 'pretty=1', 'human&error_trace=true']) {
      assert.ok(!(await ask(`/tools?${query}`)).body.includes('\n'), query);
    }
  });

  await t.test('leaves an answer without a body as it is', async () => {
    const { headers } = await ask('/tools?pretty');
    const answer = await inject({
      method: 'GET',
      url: `${BASE}/tools?pretty`,
      headers: { 'if-none-match': String(headers.etag) },
    });
    assert.deepEqual([answer.statusCode, answer.body], [304, '']);
  });

  await t.test('is known to writes', async () => {
    const answer = await inject({
      method: 'POST',
      url: `${BASE}/tools?pretty`,
      payload: { tools: [{ name: 'p', description: '' }] },
    });
    assert.equal(answer.statusCode, 201);
    assert.ok(answer.body.startsWith('{\n  "success": true,\n'));
  });
});
