import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { type Config, loadConfig } from '../../src/config.ts';
import { startServer } from '../../src/server.ts';
import { runCli } from '../cli/run-cli.ts';
import { BASE, basic, temporaryFolder } from '../helper.ts';

function settings(folder: string, environment: Record<string, string> = {}): Config {
  const { config } = loadConfig(
    {
      TOOLCRIB_DATABASE_URL: `file:${folder}/toolcrib.db`,
      TOOLCRIB_LOG_LEVEL: 'silent',
      TOOLCRIB_PORT: '0',
      ...environment,
    },
    folder,
  );
  return config;
}

/** A port of this machine that something else listens on. */
async function takenPort(t: TestContext): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

test('a first start that cannot have its port shows no password; the next one does', async (t) => {
  const folder = temporaryFolder(t);
  const port = await takenPort(t);
  const failed = await runCli(folder, ['serve'], {
    environment: { TOOLCRIB_PORT: String(port), TOOLCRIB_LOG_LEVEL: 'silent' },
  });
  assert.deepEqual(failed, {
    code: 1,
    stdout: '',
    stderr: `toolcrib: 127.0.0.1:${port} is in use; set TOOLCRIB_PORT\n`,
  });

  const lines: string[] = [];
  const app = await startServer(settings(folder), (line) => lines.push(line));
  t.after(() => app.close());
  assert.equal(lines.length, 2);
  const [, password = ''] =
    /^First start: user "admin", password: (\S+) /.exec(lines[0] ?? '') ?? [];
  assert.match(lines[1] ?? '', /^Toolcrib listens on /);
  const headers = { authorization: basic('admin', password) };
  assert.equal((await app.inject({ url: `${BASE}/whoami`, headers })).statusCode, 200);
});

test('credentials that arrive before the admin is made wait for it', async (t) => {
  const answer = Promise.withResolvers<number>();
  const watch = (message: unknown) => {
    const { server } = (message as { fastify: FastifyInstance }).fastify;
    server.once('listening', () => {
      const { port } = server.address() as AddressInfo;
      const headers = { authorization: basic('admin', 'password of admin') };
      const request = fetch(`http://127.0.0.1:${port}${BASE}/whoami`, { headers });
      request.then(({ status }) => answer.resolve(status), answer.reject);
    });
  };
  subscribe('fastify.initialization', watch);
  t.after(() => unsubscribe('fastify.initialization', watch));
  const config = settings(temporaryFolder(t), { TOOLCRIB_ADMIN_PASSWORD: 'password of admin' });
  const app = await startServer(config, () => {});
  t.after(() => app.close());
  assert.equal(await answer.promise, 200);
});

test('an unusable password of the settings ends the start with 2, before there is a store', async (t) => {
  const folder = temporaryFolder(t);
  const environment = { TOOLCRIB_ADMIN_PASSWORD: 'short', TOOLCRIB_TRUSTED_PROXIES: 'foo' };
  const { code, stderr } = await runCli(folder, ['serve'], { environment });
  assert.equal(code, 2);
  assert.deepEqual(stderr.trimEnd().split('\n'), [
    'toolcrib: TOOLCRIB_ADMIN_PASSWORD must have at least 8 characters',
    'toolcrib: TOOLCRIB_TRUSTED_PROXIES must be IP addresses or CIDR ranges, with commas, not foo',
  ]);
  assert.ok(!existsSync(`${folder}/toolcrib.db`));
});

test('a start that fails leaves no store open', async (t) => {
  const folder = temporaryFolder(t);
  const port = await takenPort(t);
  for (const config of [
    { ...settings(folder), trustedProxies: ['what the settings refuse'] },
    settings(folder, { TOOLCRIB_PORT: String(port) }),
  ]) {
    await assert.rejects(startServer(config, () => assert.fail('nothing is announced')));
    // SQLite removes it when the last connection is closed.
    assert.ok(!existsSync(`${folder}/toolcrib.db-wal`));
    assert.ok(existsSync(`${folder}/toolcrib.db`));
  }
});
