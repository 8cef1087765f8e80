import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { type ClientHttp2Session, connect } from 'node:http2';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { BASE, basic, temporaryFolder } from '../helper.ts';
import {
  type Gateway,
  PASSWORD,
  startGateway,
  startServer,
  stop,
  USER,
  until,
} from './processes.ts';
import { runProgram, without } from './tools.ts';

const skip = without('caddy', 'curl');

/** The commands of Lucenia's page on its MCP tools API, as they stand there. */
const COMMANDS = [
  '',
  '?size=20&from=10',
  '?category=search&size=50',
  '?search=document%20analysis',
  '?sort=created_at&order=desc',
  '/tool-abc123',
  '?search=neural%20OR%20sentiment&category=analysis&status=active&sort=usage_stats.total_calls&order=desc',
  '?sort=usage_stats.total_calls&order=desc&size=5',
  '?min_success_rate=0.95',
].map(
  (query) => `curl -X GET "https://localhost:9200/_plugins/_ml/mcp/tools${query}" \\
  -H "Authorization: Basic $(echo -n 'username:password' | base64)"`,
);

/** What a shell needs so that curl trusts the gateway, wherever it had to listen. */
function shell(t: TestContext, { rootCertificate, port }: Gateway) {
  const home = temporaryFolder(t);
  const elsewhere = port === 9200 ? '' : `connect-to = "localhost:9200:localhost:${port}"\n`;
  writeFileSync(join(home, '.curlrc'), `silent\nshow-error\n${elsewhere}`);
  const env = { PATH: process.env['PATH'], HOME: home, CURL_CA_BUNDLE: rootCertificate };
  return (command: string) => runProgram('bash', ['-c', command], { env });
}

test('the gateway passes on, limits, logs and trusts as it should', { skip }, async (t) => {
  const server = await startServer(t);
  const gateway = await startGateway(t, server.port);
  const run = shell(t, gateway);
  const curl = (args: string) => run(`curl -u ${USER}:${PASSWORD} ${args}`);
  const tools = `https://localhost:9200${BASE}/tools`;
  let probes = 0;
  /** The client's address in the server's log of a request. */
  async function addressOf(request: string): Promise<string> {
    const id = `probe-${probes++}`;
    curl(`-H 'X-Request-Id: ${id}' ${request}`);
    const line = () => new RegExp(`^.*"reqId":"${id}".*$`, 'm').exec(server.output())?.[0];
    await until(() => line() !== undefined, server);
    return JSON.parse(line() ?? '').address;
  }

  await t.test('the documented commands run unchanged', () => {
    for (const command of COMMANDS) {
      const answer = JSON.parse(run(command));
      assert.equal(answer.success, true, command);
      assert.ok(answer.data.tool_id === 'tool-abc123' || answer.data.pagination.total > 0, command);
    }
  });

  await t.test('it speaks HTTP/2, and a strange authority is not trusted', () => {
    assert.equal(curl(`-o /dev/null -w '%{http_version} %{http_code}' "${tools}"`), '2 200');
    const other = '--cacert /etc/ssl/certs/ca-certificates.crt -o /dev/null';
    assert.throws(() => curl(`${other} "${tools}"`), /certificate/);
  });

  await t.test('answers are the same as without it', async () => {
    for (const path of ['/tools', '/tools/tool-abc123', '/tools/tool-none', '/tools?size=0']) {
      const direct = await fetch(`${server.origin}${BASE}${path}`, {
        headers: { authorization: basic(USER, PASSWORD) },
      });
      const through = curl(`-w '\\n%{http_code}' "https://localhost:9200${BASE}${path}"`);
      const [body = '', status] = through.split('\n');
      assert.equal(Number(status), direct.status);
      const { timestamp: _, ...expected } = (await direct.json()) as Record<string, unknown>;
      const { timestamp: __, ...got } = JSON.parse(body);
      assert.deepEqual(got, expected);
    }
  });

  await t.test('a body over the limit of Toolcrib is 413 in its words', () => {
    const file = join(temporaryFolder(t), 'body');
    writeFileSync(file, Buffer.alloc(5_000_000, ' '));
    const json = `-H 'Content-Type: application/json' --data-binary @${file}`;
    for (const how of ['--http1.1', '--http2', '--http1.1 -H "Transfer-Encoding: chunked"']) {
      for (let round = 0; round < 10; round++) {
        const answer = JSON.parse(curl(`${how} ${json} "${tools}"`));
        assert.equal(answer.error.type, 'PayloadTooLargeError', how);
      }
    }
  });

  await t.test(
    'a body over the limit of the gateway is 413, and does not reach Toolcrib',
    async () => {
      const before = (await gateway.accesses(1)).length;
      const length = "-H 'Content-Length: 70000000' -H 'Content-Type: application/json'";
      for (const how of ['--http1.1', '--http2']) {
        curl(
          `${how} -X POST ${length} -H 'X-Request-Id: too-large' --max-time 5 "${tools}" || true`,
        );
      }
      const lines = (await gateway.accesses(before + 2)).slice(before);
      assert.deepEqual(
        lines.map((line) => JSON.parse(line).status),
        [413, 413],
      );
      assert.ok(!server.output().includes('too-large'));
    },
  );

  await t.test('X-Forwarded-For is the gateway’s, whatever the client claims', async () => {
    const claims = "-H 'X-Forwarded-For: 6.6.6.6' -H 'X-Forwarded-Prefix: /evil'";
    const from = (address: string) => `--interface ${address} ${claims}`;
    assert.equal(await addressOf(`${from('127.0.0.9')} "${tools}"`), '127.0.0.9');
    // Past the gateway: from its address the header counts, from any other it does not.
    const direct = `"${server.origin}${BASE}/tools"`;
    assert.equal(await addressOf(`${from('127.0.0.9')} ${direct}`), '127.0.0.9');
    assert.equal(await addressOf(`${from('127.0.0.1')} ${direct}`), '6.6.6.6');
    const document = JSON.parse(curl(`${claims} https://localhost:9200/openapi.json`));
    assert.equal(document.servers[0].url, '/');
  });

  await t.test('a foreign origin is foreign whatever host the client claims', () => {
    const claims = "-H 'Origin: https://evil.example' -H 'X-Forwarded-Host: evil.example'";
    const write = `-X DELETE ${claims} "${tools}/tool-none"`;
    assert.equal(JSON.parse(curl(write)).error.type, 'AuthorizationError');
    const own = `-X DELETE -H 'Origin: https://localhost:9200' "${tools}/tool-none"`;
    assert.equal(JSON.parse(curl(own)).error.type, 'NotFoundError');
  });

  await t.test('the log has every access, and nothing secret', async () => {
    const before = (await gateway.accesses(1)).length;
    const token = 'a-token-that-nobody-may-see';
    curl(`"${tools}?search=secret-words"`);
    run(`curl -H 'Authorization: Bearer ${token}' -H 'Cookie: session=${token}' "${tools}"`);
    const lines = (await gateway.accesses(before + 2)).slice(before);
    assert.deepEqual(
      lines.map((line) => JSON.parse(line)).map(({ request, status }) => [request.uri, status]),
      [
        [`${BASE}/tools?…`, 200],
        [`${BASE}/tools`, 401],
      ],
    );
    const encoded = basic(USER, PASSWORD).slice('Basic '.length);
    for (const log of [gateway.output(), server.output()]) {
      for (const secret of [token, encoded, 'secret-words', 'Authorization']) {
        assert.ok(!log.includes(secret), secret);
      }
    }
  });

  await t.test('a restart of the server is waited for: no 502', async (t) => {
    const session = connect(gateway.origin, { ca: readFileSync(gateway.rootCertificate) });
    t.after(() => session.close());
    await stop(server);
    const statuses = Promise.all(Array.from({ length: 20 }, () => statusOf(session)));
    await startServer(t, { wantedPort: server.port });
    assert.deepEqual(new Set(await statuses), new Set([200]));
  });
});

async function statusOf(session: ClientHttp2Session): Promise<number | undefined> {
  const stream = session.request({ ':path': '/livez' });
  const [headers] = await once(stream, 'response');
  stream.resume();
  return headers[':status'];
}
