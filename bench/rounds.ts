import { truncateSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { cpuSeconds, LOAD_CORE, runNode, type Server } from './processes.ts';
import { AUTHORIZATION } from './requests.ts';

const LOAD = fileURLToPath(new URL('./load.ts', import.meta.url));
const CONNECTIONS = 32;

export interface LoadOrder {
  origin: string;
  authorization: string;
  connections: number;
  seconds: number;
  paths: string[];
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

/** Loads both servers in turns with the same paths, which `makePaths` gives for each round. */
export async function measureRatio(
  servers: { ours: Server; bare: Server },
  makePaths: (round: number) => string[],
  { rounds, seconds }: { rounds: number; seconds: number },
): Promise<Ratio> {
  const warmUp = makePaths(0);
  await measure(servers.ours, warmUp, seconds);
  await measure(servers.bare, warmUp, seconds);
  const results: Ratio['rounds'] = [];
  for (let round = 1; round <= rounds; round++) {
    const paths = makePaths(round);
    // Who goes first changes, so that a slow drift of the machine favours nobody.
    const first = await measure(round % 2 ? servers.ours : servers.bare, paths, seconds);
    const second = await measure(round % 2 ? servers.bare : servers.ours, paths, seconds);
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

async function measure(server: Server, paths: string[], seconds: number): Promise<Measured> {
  const { origin } = server;
  const order: LoadOrder = {
    origin,
    authorization: AUTHORIZATION,
    connections: CONNECTIONS,
    seconds,
    paths,
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
