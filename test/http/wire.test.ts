import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { BASE, startApp } from '../helper.ts';
import { type Answer, failureOf } from './failure.ts';

/** Sends bytes over a connection of their own, and gives all answers until the other side closes it. */
function exchange(port: number, ...parts: (string | Buffer)[]): Promise<Answer[]> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer[]>();
  const chunks: Buffer[] = [];
  const socket = connect(port, '127.0.0.1');
  socket.on('data', (chunk) => chunks.push(chunk));
  // Whoever closes on a body that still flows in resets the connection after the answer.
  socket.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET') reject(error);
  });
  socket.on('close', () => resolve(answersIn(Buffer.concat(chunks).toString('latin1'))));
  for (const part of parts) socket.write(part);
  return promise;
}

function answersIn(text: string): Answer[] {
  const answers: Answer[] = [];
  for (let rest = text; rest !== ''; ) {
    const end = rest.indexOf('\r\n\r\n');
    const [status = '', ...lines] = rest.slice(0, end).split('\r\n');
    assert.match(status, /^HTTP\/1\.1 \d{3} /);
    const headers = Object.fromEntries(
      lines.map((line) => [line.split(': ', 1)[0]?.toLowerCase(), line.replace(/^[^:]*: /, '')]),
    );
    assert.ok(headers['content-length'] !== undefined, rest);
    const length = Number(headers['content-length']);
    const body = rest.slice(end + 4, end + 4 + length);
    answers.push({ statusCode: Number(status.split(' ')[1]), headers, body });
    rest = rest.slice(end + 4 + length);
  }
  return answers;
}

async function listen(t: TestContext) {
  const started = await startApp(t);
  const address = await started.app.listen({ host: '127.0.0.1', port: 0 });
  const port = Number(new URL(address).port);
  const head = (line: string, ...headers: string[]) =>
    [line, 'Host: localhost', `Authorization: ${started.authorization}`, ...headers, '', ''].join(
      '\r\n',
    );
  const one = async (...parts: (string | Buffer)[]) => {
    const answers = await exchange(port, ...parts);
    assert.equal(answers.length, 1);
    return answers[0] as Answer;
  };
  return { ...started, port, head, one };
}

const CLOSE = 'Connection: close';
const JSON_TYPE = 'Content-Type: application/json';

test('on the wire', async (t) => {
  const { app, port, head, one } = await listen(t);
  const list = `GET ${BASE}/tools HTTP/1.1`;
  const register = `POST ${BASE}/tools HTTP/1.1`;

  const malformed: [string, string][] = [
    ['no HTTP at all', 'hello\r\n\r\n'],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['an unknown method', head(`BREW ${BASE}/tools HTTP/1.1`)],
    ['a method in lower case', head(`get ${BASE}/tools HTTP/1.1`)],
    ['another protocol', head(`GET ${BASE}/tools GOPHER/1.0`)],
    ['another version', head(`GET ${BASE}/tools HTTP/9.9`)],
    ['CONNECT', head('CONNECT localhost:443 HTTP/1.1')],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['NUL in the path', head(`GET ${BASE}/\0tools HTTP/1.1`)],
    [
      'bytes beyond ASCII in the path',
      head(`GET ${BASE}/tools?search=gr\xc3\xb6\xc3\x9fe HTTP/1.1`),
    ],
    ['NUL in a header', head(list, 'X-A: a\0b')],
    ['a header without a colon', head(list, 'X-A')],
    ['a space before the colon', head(list, 'X-A : b')],
    ['a folded header', head(list, 'X-A: b', ' c')],
    ['bare line feeds', `${list}\nHost: localhost\n\n`],
    ['two lengths', `${head(register, 'Content-Length: 2', 'Content-Length: 3')}{}`],
    ['a negative length', head(register, 'Content-Length: -1')],
    ['a length in hexadecimal', `${head(register, 'Content-Length: 0x2')}{}`],
    [
      'a length and chunks',
      `${head(register, 'Content-Length: 2', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
    ],
    [
      'a chunk of no size',
      `${head(register, JSON_TYPE, 'Transfer-Encoding: chunked')}zz\r\n{}\r\n0\r\n\r\n`,
    ],
  ];
  for (const [what, bytes] of malformed) {
    await t.test(`${what} is a 400 in the envelope, and the end of the connection`, async () => {
      const answers = await exchange(port, Buffer.from(bytes, 'latin1'));
      const answer = answers.at(-1) as Answer;
      const { message, details } = failureOf(answer, 'ValidationError');
      assert.equal(answers.length, 1);
      assert.deepEqual(
        [message, details],
        ['Invalid request', { field: 'request', reason: 'The request is not valid HTTP/1.1' }],
      );
      assert.equal(answer.headers.connection, 'close');
    });
  }

  await t.test('two Host headers are refused', async () => {
    const { details } = failureOf(await one(head(list, CLOSE, 'host: other')), 'ValidationError');
    assert.deepEqual(details, { field: 'Host', reason: 'Host must be given once' });
  });

  await t.test('no Host header is refused as well', async () => {
    const answer = await one(`GET /livez HTTP/1.1\r\n${CLOSE}\r\n\r\n`);
    const { details } = failureOf(answer, 'ValidationError');
    assert.deepEqual(details, { field: 'Host', reason: 'Host must be given once' });
  });

  await t.test('an expectation that nobody knows is passed over', async () => {
    const body = '{"tools":[{"name":"expected","description":""}]}';
    const length = `Content-Length: ${body.length}`;
    const answer = await one(head(register, 'Expect: wonders', JSON_TYPE, length, CLOSE), body);
    assert.equal(answer.statusCode, 201);
  });

  await t.test('headers over 16 KiB are 431, however they are cut', async () => {
    failureOf(await one(head(list, `X-A: ${'a'.repeat(17 * 1024)}`)), 'HeadersTooLargeError');
    failureOf(await one(head(list, ...Array(3000).fill('X-A: b'))), 'HeadersTooLargeError');
    failureOf(await one(head(list, `Cookie: ${'a=b; '.repeat(4000)}`)), 'HeadersTooLargeError');
    const answer = await one(head(`GET ${BASE}/tools?search=${'a'.repeat(20_000)} HTTP/1.1`));
    failureOf(answer, 'HeadersTooLargeError');
    assert.match(answer.body, /16384 bytes/);
  });

  await t.test('15 KiB of headers and a query of 15 KiB are read', async () => {
    assert.equal((await one(head(list, CLOSE, `X-A: ${'a'.repeat(15 * 1024)}`))).statusCode, 200);
    const url = `${BASE}/tools?search=${'a'.repeat(15 * 1024)}`;
    failureOf(await one(head(`GET ${url} HTTP/1.1`, CLOSE)), 'ValidationError');
  });

  await t.test(
    'a body over 4 MiB is 413 before it has arrived, and ends the connection',
    async () => {
      const length = 100 * 1024 * 1024;
      const announced = await one(head(register, JSON_TYPE, `Content-Length: ${length}`));
      failureOf(announced, 'PayloadTooLargeError');
      assert.equal(announced.headers.connection, 'close');
      const chunk = Buffer.alloc(1024 * 1024, ' ');
      const chunked = Array.from({ length: 6 }, () => [
        `${chunk.length.toString(16)}\r\n`,
        chunk,
        '\r\n',
      ]);
      const flowing = await one(
        head(register, JSON_TYPE, 'Transfer-Encoding: chunked'),
        ...chunked.flat(),
      );
      failureOf(flowing, 'PayloadTooLargeError');
    },
  );

  await t.test('a body shorter than its length is no request', async () => {
    const socket = connect(port, '127.0.0.1');
    socket.end(`${head(register, JSON_TYPE, 'Content-Length: 100')}{"tools":[`);
    const received = await socket.toArray();
    const answers = answersIn(Buffer.concat(received).toString('latin1'));
    for (const answer of answers) failureOf(answer, 'ValidationError');
    assert.equal((await one(head(list, CLOSE))).statusCode, 200);
  });

  await t.test('a body in drops of one byte is read whole', async () => {
    const body = JSON.stringify({ tools: [{ name: 'dripped', description: 'größe' }] });
    const drops = [...Buffer.from(body)].map((byte) => Buffer.from([byte]));
    const length = `Content-Length: ${Buffer.byteLength(body)}`;
    const answer = await one(head(register, JSON_TYPE, length, CLOSE), ...drops);
    assert.equal(answer.statusCode, 201);
  });

  await t.test('requests in one write are answered one by one, in their order', async () => {
    const paths = [
      `${BASE}/tools?size=1`,
      `${BASE}/tools?size=0`,
      '/nothing',
      `${BASE}/tools/%zz`,
      '/livez',
    ];
    const requests = paths.map((path, at) =>
      head(`GET ${path} HTTP/1.1`, ...(at === paths.length - 1 ? [CLOSE] : [])),
    );
    const answers = await exchange(port, requests.join(''));
    assert.deepEqual(
      answers.map((answer) => answer.statusCode),
      [200, 400, 404, 400, 200],
    );
  });

  await t.test('HTTP/1.0 without a Host and a target with a host are understood', async () => {
    const old = `GET /livez HTTP/1.0\r\n\r\n`;
    assert.equal((await one(old)).statusCode, 200);
    assert.equal((await one(head('GET http://localhost/livez HTTP/1.1', CLOSE))).statusCode, 200);
  });

  await t.test('an upgrade that nobody offers is passed over', async () => {
    const answer = await one(head(list, 'Connection: upgrade, close', 'Upgrade: websocket'));
    assert.equal(answer.statusCode, 200);
  });

  await t.test('a client that goes away in the middle harms nobody', async () => {
    for (const bytes of [
      head(register, JSON_TYPE, 'Content-Length: 9').slice(0, -2),
      `${head(register, JSON_TYPE, 'Content-Length: 9')}{`,
      head(list),
    ]) {
      const socket = connect(port, '127.0.0.1');
      await new Promise<void>((resolve) => socket.write(bytes, () => resolve()));
      socket.resetAndDestroy();
    }
    assert.equal((await one(head(list, CLOSE))).statusCode, 200);
  });

  await t.test('what does not arrive in time is 408', async () => {
    assert.deepEqual([app.server.requestTimeout, app.server.headersTimeout], [30_000, 10_000]);
    app.server.requestTimeout = 300;
    app.server.headersTimeout = 200;
    const stalled = await Promise.all([
      one(head(register, JSON_TYPE, 'Content-Length: 100'), '{"tools":'),
      one(head(list).slice(0, -2)),
    ]);
    for (const answer of stalled) {
      failureOf(answer, 'RequestTimeoutError');
      assert.equal(answer.headers.connection, 'close');
    }
  });
});
