import { truncateSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { cpuSeconds, LOAD_CORE, runNode, type Server } from './processes.ts';
import { AUTHORIZATION } from './requests.ts';

const LOAD = fileURLToPath(new URL('./load.ts', import.meta.url));
const CONNECTIONS = 32;

/** A GET, or with a body the POST of some JSON. */
export interface LoadRequest {
  path: string;
  body?: string;
}

export interface LoadOrder {
  origin: string;
  authorization: string;
  connections: number;
  seconds: number;
  /** Requests a second; as many as go when absent. */
  rate?: number;
  requests: LoadRequest[];
}

export interface LoadResult {
  perSecond: number;
  answers: number;
  failures: number;
  /** Headers included. */
  bytesPerAnswer: number;
  p50Ms: number;
  p99Ms: number;
}

/** One load and the processor time that the server spent on it, in seconds. */
type Measured = LoadResult & { cpu: number };

export interface Ratio {
  /** Median over the rounds of ours / bare, in requests a second. */
  ratio: number;
  /** The same in requests per second of the server's processor time: deaf to other processes. */
  cpuRatio: number;
  failures: number;
  rounds: { ours: Measured; bare: Measured }[];
}

/** Loads both servers in turns with the same requests, which `make` gives for each round. */
export async function measureRatio(
  servers: { ours: Server; bare: Server },
  make: (round: number) => LoadRequest[],
  {
    rounds,
    seconds,
    connections = CONNECTIONS,
  }: { rounds: number; seconds: number; connections?: number },
): Promise<Ratio> {
  const load = { seconds, connections };
  const warmUp = make(0);
  await measure(servers.ours, warmUp, load);
  await measure(servers.bare, warmUp, load);
  const results: Ratio['rounds'] = [];
  for (let round = 1; round <= rounds; round++) {
    const requests = make(round);
    // Who goes first changes, so that a slow drift of the machine favours nobody.
    const first = await measure(round % 2 ? servers.ours : servers.bare, requests, load);
    const second = await measure(round % 2 ? servers.bare : servers.ours, requests, load);
    const [ours, bare] = round % 2 ? [first, second] : [second, first];
    results.push({ ours, bare });
    console.log(
      `  round ${round}: ${ours.perSecond.toFixed(0)} / ${bare.perSecond.toFixed(0)} = ${(ours.perSecond / bare.perSecond).toFixed(3)}`,
    );
  }
  return {
    ratio: median(results.map(({ ours, bare }) => ours.perSecond / bare.perSecond)),
    cpuRatio: median(results.map(({ ours, bare }) => perCpu(ours) / perCpu(bare))),
    failures: results.reduce((sum, { ours, bare }) => sum + ours.failures + bare.failures, 0),
    rounds: results,
  };
}

/** One load of one server. */
export async function measure(
  server: Server,
  requests: LoadRequest[],
  load: Pick<LoadOrder, 'connections' | 'seconds' | 'rate'>,
): Promise<Measured> {
  const order: LoadOrder = {
    origin: server.origin,
    authorization: AUTHORIZATION,
    requests,
    ...load,
  };
  const before = cpuSeconds(server.pid);
  const output = await runNode([LOAD], { core: LOAD_CORE, input: JSON.stringify(order) });
  const cpu = cpuSeconds(server.pid) - before;
  truncateSync(server.logFile);
  return { ...(JSON.parse(output) as LoadResult), cpu };
}

function perCpu({ answers, cpu }: Measured): number {
  return answers / cpu;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle) - 1] ?? 0)) / 2;
}
