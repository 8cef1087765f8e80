// The image's HEALTHCHECK: ends with 0 when the server in this container is ready, else with 1.
import { get } from 'node:http';
import { loadConfig } from './config.ts';

const PATIENCE_MS = 3_000;
/** What the server listens on when it listens on every address. */
const LOOPBACK: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

const { host, port } = loadConfig().config;
const request = get(
  { host: LOOPBACK[host] ?? host, port, path: '/readyz', timeout: PATIENCE_MS, agent: false },
  (answer) => finish(answer.statusCode === 200, `/readyz answers ${answer.statusCode}`),
);
request.on('timeout', () => finish(false, `no answer in ${PATIENCE_MS} ms`));
request.on('error', ({ message }) => finish(false, message));

function finish(ready: boolean, report: string): void {
  console.log(report);
  process.exit(ready ? 0 : 1);
}
