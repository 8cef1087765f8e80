import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type ClientHttp2Session, connect } from 'node:http2';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { BASE, startApp } from '../helper.ts';
import { startGateway } from './processes.ts';
import { ROOT, runProgram, without } from './tools.ts';

const skip = without('caddy');

const REQUESTS = 20_000;
/** At once; each has a connection of its own between gateway and server. */
const WAVE = 250;
/** Of seconds made milliseconds: 60 s of the gateway are 240 ms, 90 s of the server 360 ms. */
const SCALE = 4;
/** Around the limit of either side, in milliseconds. */
const SPREAD_MS = 50;

test('the gateway gives up an idle connection before the server does', { skip }, async (t) => {
  const { app } = await startApp(t);
  assert.ok(gatewayKeepAliveMs() < app.server.keepAliveTimeout);
});

test(`no 502 in ${REQUESTS} requests around the keep-alive limits`, { skip }, async (t) => {
  const { app, authorization } = await startApp(t);
  const limits = [gatewayKeepAliveMs(), app.server.keepAliveTimeout].map(
    (limit) => (limit / 1000) * SCALE,
  );
  const [ofGateway = 0, ofServer = 0] = limits;
  app.server.keepAliveTimeout = ofServer;
  // Node keeps connections a second longer than it says; the limits must do without.
  app.server.keepAliveTimeoutBuffer = 0;
  const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
  const gateway = await startGateway(t, Number(port), {
    GATEWAY_UPSTREAM_KEEPALIVE: `${ofGateway}ms`,
  });
  const session = connect(gateway.origin, { ca: readFileSync(gateway.rootCertificate) });
  t.after(() => session.close());

  const statuses = new Map<number, number>();
  for (let sent = 0; sent < REQUESTS; sent += WAVE) {
    const wave = await Promise.all(
      Array.from({ length: WAVE }, () => send(session, authorization)),
    );
    for (const status of wave) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    const limit = sent % (4 * WAVE) === 0 ? ofServer : ofGateway;
    await delay(limit - SPREAD_MS + Math.random() * 2 * SPREAD_MS);
  }
  // The tool does not exist: what counts is that every request was answered by the server.
  assert.deepEqual([...statuses], [[404, REQUESTS]]);
});

/** A request that nobody may send a second time by himself, in contrast to GET. */
async function send(session: ClientHttp2Session, authorization: string): Promise<number> {
  const stream = session.request({
    ':method': 'DELETE',
    ':path': `${BASE}/tools/tool-none`,
    authorization,
  });
  stream.end();
  const [headers] = await once(stream, 'response');
  stream.resume();
  await once(stream, 'close');
  return headers[':status'];
}

/** For how long the compose file's gateway keeps an idle connection to the server. */
function gatewayKeepAliveMs(): number {
  const args = ['adapt', '--adapter', 'caddyfile', '--config', join(ROOT, 'deploy/Caddyfile')];
  const nanoseconds = /"keep_alive":\{"idle_timeout":(\d+)/.exec(runProgram('caddy', args))?.[1];
  return Number(nanoseconds) / 1e6;
}
