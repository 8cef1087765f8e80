// One load of autocannon in a process of its own. Reads a LoadOrder as JSON on stdin, writes a
// LoadResult as JSON on stdout.
import { json } from 'node:stream/consumers';
import autocannon from 'autocannon';
import type { LoadOrder, LoadResult } from './rounds.ts';

const { origin, authorization, connections, seconds, rate, requests } = (await json(
  process.stdin,
)) as LoadOrder;
let client = 0;

const result = await autocannon({
  url: origin,
  connections,
  duration: seconds,
  headers: { authorization, 'content-type': 'application/json' },
  ...(rate !== undefined && { overallRate: rate }),
  // Each connection has requests of its own; with one list for all they would ask in step.
  setupClient(connection) {
    const own = requests.filter((_, index) => index % connections === client % requests.length);
    connection.setRequests(
      own.map(({ path, body }) => (body === undefined ? { path } : { method: 'POST', path, body })),
    );
    client += 1;
  },
});

const answers = result['2xx'];
const load: LoadResult = {
  perSecond: result.requests.average,
  answers,
  failures: result.non2xx + result.errors + result.timeouts + result.mismatches,
  bytesPerAnswer: result.throughput.total / result.requests.total,
  p50Ms: result.latency.p50,
  p99Ms: result.latency.p99,
};
process.stdout.write(JSON.stringify(load));
