import assert from 'node:assert/strict';
import { renameSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import { startApp } from '../helper.ts';
import { failureOf, openSearchFailureOf } from './failure.ts';

// Faults of our own, made by breaking the real store below the running application.

const LEAKS =
  /sqlite|select |insert |no such|toolcrib-test|\.db|\/tmp|node_modules|\.ts|at async|Error:/i;

async function startBroken(t: TestContext, ...statements: string[]) {
  const started = await startApp(t);
  // Credentials are kept for a minute, so the users' table is not asked again.
  assert.equal((await started.get('/tools')).statusCode, 200);
  for (const statement of statements) started.store.db.raw.exec(statement);
  return started;
}

test('a fault of the program is an InternalError that tells nothing', async (t) => {
  const { get, send } = await startBroken(t, 'alter table tools rename to gone');
  const answers = [
    await get('/tools?size=7'),
    await get('/tools/tool-a'),
    await get('/tools/tool-a/versions'),
    await send('POST', '/tools', { tools: [{ name: 'a', description: '' }] }),
    await send('PUT', '/tools/tool-a', { description: '' }),
    await send('DELETE', '/tools/tool-a'),
  ];
  for (const answer of answers) {
    const { message, details } = failureOf(answer, 'InternalError');
    assert.equal(message, 'Something went wrong here; the log has the request id');
    assert.deepEqual(details, {});
    assert.doesNotMatch(answer.body, LEAKS);
    assert.match(String(answer.headers['x-request-id']), /^[\w-]+$/);
  }
  const [type, reason] = openSearchFailureOf(await get('/tools/_list'), 500);
  assert.equal(type, 'internal_exception');
  assert.doesNotMatch(reason, LEAKS);
});

test('a full disk is a StorageFullError, reads go on, and nothing is half written', async (t) => {
  const { get, send, store } = await startApp(t);
  await send('POST', '/tools', { tools: [{ name: 'kept', description: '' }] });
  const pages = store.db.raw.pragma('page_count', { simple: true });
  store.db.raw.pragma(`max_page_count = ${pages}`);
  const tools = Array.from({ length: 500 }, (_, at) => ({
    name: `t${at}`,
    description: 'x'.repeat(4000),
  }));
  const answer = await send('POST', '/tools', { tools });
  assert.equal(
    failureOf(answer, 'StorageFullError').message,
    'The disk is full; nothing was written',
  );
  assert.doesNotMatch(answer.body, LEAKS);
  openSearchFailureOf(
    await send('POST', '/tools/_register', {
      tools: tools.map((tool) => ({ ...tool, type: 'T' })),
    }),
    507,
  );
  assert.equal((await get('/tools')).json().data.pagination.total, 1);
  store.db.raw.pragma('max_page_count = 1000000');
  assert.equal((await send('POST', '/tools', { tools })).statusCode, 201);
});

test('a database file that is gone makes the server unready, but not dead', async (t) => {
  const { app, store } = await startApp(t);
  assert.equal((await app.inject('/readyz')).statusCode, 200);
  renameSync(store.file, `${store.file}.moved`);
  const answer = await app.inject('/readyz');
  const { message } = failureOf(answer, 'ServiceUnavailableError');
  assert.equal(message, 'The database file was moved or removed');
  assert.equal(answer.headers['retry-after'], '5');
  assert.equal((await app.inject('/livez')).statusCode, 200);
});

test('a handler that throws no error at all is answered', async (t) => {
  const { app } = await startApp(t);
  const thrown: unknown[] = [
    undefined,
    null,
    'text',
    5,
    {},
    { statusCode: 404 },
    { statusCode: 200, code: 'x' },
  ];
  for (const [index, value] of thrown.entries()) {
    app.get(`/throw/${index}`, { config: { access: 'open' } }, () => Promise.reject(value));
  }
  for (const [index] of thrown.entries()) {
    const answer = await app.inject(`/throw/${index}`);
    assert.ok([400, 500].includes(answer.statusCode), answer.body);
    failureOf(answer, answer.statusCode === 400 ? 'ValidationError' : 'InternalError');
  }
});
