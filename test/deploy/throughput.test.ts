import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { LoadOrder, LoadResult } from '../../bench/rounds.ts';
import { BASE, basic } from '../helper.ts';
import { PASSWORD, startGateway, startServer, USER } from './processes.ts';
import { ROOT, runProgram, without } from './tools.ts';

const ROUNDS = 3;
const SECONDS = 3;
const CONNECTIONS = 32;
const AT_LEAST = 0.4;
/** Where the figures are written when this is set, from the project's folder. */
const FIGURES = process.env['DEPLOY_FIGURES'];

test(`through the gateway with TLS: at least ${AT_LEAST} of the direct throughput`, {
  skip: without('caddy'),
}, async (t) => {
  const server = await startServer(t);
  const gateway = await startGateway(t, server.port);
  load(server.origin, 1);
  load(gateway.origin, 1);
  const rounds = Array.from({ length: ROUNDS }, () => {
    const direct = load(server.origin, SECONDS);
    const through = load(gateway.origin, SECONDS);
    return { direct, through, ratio: through.perSecond / direct.perSecond };
  }).sort((a, b) => a.ratio - b.ratio);
  const median = rounds[Math.floor(ROUNDS / 2)];
  assert(median);
  const line = `${median.ratio.toFixed(2)} of the direct throughput: ${Math.round(median.through.perSecond)} to ${Math.round(median.direct.perSecond)} answers a second`;
  t.diagnostic(line);
  if (FIGURES !== undefined) writeFileSync(join(ROOT, FIGURES), page(line));
  for (const { direct, through } of rounds) assert.equal(direct.failures + through.failures, 0);
  assert.ok(median.ratio >= AT_LEAST, line);
});

/** The hot list of the example tools, over connections kept alive. */
function load(origin: string, seconds: number): LoadResult {
  const order: LoadOrder = {
    origin,
    authorization: basic(USER, PASSWORD),
    connections: CONNECTIONS,
    seconds,
    paths: [`${BASE}/tools`],
  };
  const input = JSON.stringify(order);
  return JSON.parse(runProgram(process.execPath, [join(ROOT, 'bench/load.ts')], { input }));
}

function page(line: string): string {
  return `# Through the gateway

Written by \`DEPLOY_FIGURES=bench/DEPLOY.md npm run test:deploy\`.

Hot list (10 of the example tools) over ${CONNECTIONS} connections, through the compose file's Caddyfile with TLS
and HTTP/1.1 and directly, in turns; the median of ${ROUNDS} rounds of ${SECONDS} s, with server, gateway and load on
the same ${cpus().length} cores (${cpus()[0]?.model}):

**${line}** (bound: at least ${AT_LEAST}).
`;
}
