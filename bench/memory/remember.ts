// `npm run bench:remember -- [--seconds N]`: memories that 32 connections have remembered in a second
// over HTTP, each on disk when it is answered, with texts of 8 to 40 words of one owner.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import autocannon from 'autocannon';
import { cpuSeconds, startServer } from '../processes.ts';
import { createTexts } from './texts.ts';

const COMMAND = fileURLToPath(new URL('../../bin/toolcrib.cjs', import.meta.url));
const PASSWORD = 'password of the benchmark';
const CONNECTIONS = 32;
const PATH = '/_plugins/_ml/mcp/memories';

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '10' } } });
const folder = mkdtempSync(join(tmpdir(), 'toolcrib-memory-'));
const server = await startServer(() => [COMMAND, 'serve'], {
  logFile: join(folder, 'log'),
  env: (port) => ({
    TOOLCRIB_PORT: String(port),
    TOOLCRIB_DATABASE_URL: `file:${join(folder, 'toolcrib.db')}`,
    TOOLCRIB_ADMIN_PASSWORD: PASSWORD,
    TOOLCRIB_LOG_LEVEL: 'warn',
  }),
});
try {
  const texts = createTexts(1);
  const before = cpuSeconds(server.pid);
  const { requests, latency, ...result } = await autocannon({
    url: server.origin,
    connections: CONNECTIONS,
    duration: Number(values.seconds),
    headers: {
      authorization: `Basic ${Buffer.from(`admin:${PASSWORD}`).toString('base64')}`,
      'content-type': 'application/json',
    },
    requests: [
      {
        method: 'POST',
        path: PATH,
        setupRequest: (request) => ({
          ...request,
          body: JSON.stringify({ content: texts.content(), path: 'projects/x' }),
        }),
      },
    ],
  });
  const cpu = ((cpuSeconds(server.pid) - before) * 1e6) / Math.max(1, result['2xx']);
  console.log(`${Math.round(requests.average)}/s, p50 ${latency.p50} ms, p99 ${latency.p99} ms`);
  console.log(
    `${result['2xx']} remembered, ${result.non2xx} refused, ${cpu.toFixed(0)} µs of a core each`,
  );
} finally {
  await server.stop();
  rmSync(folder, { recursive: true });
}
