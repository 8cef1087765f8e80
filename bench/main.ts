// `npm run bench`: the speed and size of the server with 100,000 tools, against their bounds.
// RESULTS.md says how each figure is measured. Ends with 1 when a bound is missed.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { importTools, writeTools } from './fill.ts';
import { type Options, readOptions } from './options.ts';
import { residentMb, type Server, startServer } from './processes.ts';
import { type Figure, figure, report } from './report.ts';
import { type Catalogue, HOT_PATH, pagePaths, toolPaths } from './requests.ts';
import { measureRatio, median, type Ratio } from './rounds.ts';
import { BARE, COMMAND, environment } from './servers.ts';
import { assertBare, sameSize, sampleBodies } from './verify.ts';

const STARTS = 3;
const SETTLE_MS = 3_000;
/** More paths than the 32 connections ask for in one round. */
const PATHS_PER_SECOND = 25_000;
const SAMPLE = { pages: 400, tools: 2_000 };

const options = readOptions();
const folder = mkdtempSync(join(tmpdir(), 'toolcrib-bench-'));
const running = new Set<Server>();
try {
  const { figures, loads } = await run(options);
  report(options, figures, loads);
  if (figures.some(({ pass }) => !pass)) process.exitCode = 1;
} finally {
  for (const server of running) await server.stop();
  rmSync(folder, { recursive: true });
}

async function run({ tools }: Options): Promise<{
  figures: Figure[];
  loads: Record<string, Ratio>;
}> {
  step('start with an empty store');
  const empty = await startOurs();
  await delay(SETTLE_MS);
  const idleMb = residentMb(empty.pid);
  await stop(empty);

  step(`make ${tools} tools and import them`);
  const file = join(folder, 'tools.jsonl');
  const catalogue = await writeTools(file, tools);
  const importSeconds = await importTools(COMMAND, file, tools, environment(folder, 0));

  step(`start with them, ${STARTS} times`);
  const startSeconds: number[] = [];
  let ours = await startOurs();
  startSeconds.push(ours.startMs / 1000);
  while (startSeconds.length < STARTS) {
    await stop(ours);
    ours = await startOurs();
    startSeconds.push(ours.startMs / 1000);
  }
  await delay(SETTLE_MS);
  const readyMb = residentMb(ours.pid);

  step('check a sample of the answers, and start the bare server');
  const loads = await measureLoads(ours, await startBare(ours, catalogue), catalogue);
  const loadedMb = residentMb(ours.pid);

  const failures = Object.values(loads).reduce((sum, load) => sum + load.failures, 0);
  const sizes = Object.values(loads).flatMap(({ rounds }) => rounds);
  const unequal = sizes.filter(
    ({ ours, bare }) => !sameSize(ours.bytesPerAnswer, bare.bytesPerAnswer),
  );
  const ratio = (name: string, atLeast: number) =>
    figure(`${name}: ratio to bare Fastify`, loads[name]?.ratio ?? 0, '', { atLeast });
  const figures = [
    ratio('hot page of 10', 0.6),
    ratio('different pages', 0.15),
    ratio('get one', 0.5),
    figure('answers under load that failed', failures, '', { atMost: 0 }),
    figure('rounds whose answers differ in size', unequal.length, '', { atMost: 0 }),
    figure('import', importSeconds, 's', { atMost: 60 }),
    figure('start with all tools', median(startSeconds), 's', { atMost: 2 }),
    figure('memory after start', readyMb, 'MB', { atMost: 350 }),
    figure('memory after all loads', loadedMb, 'MB', { atMost: 350 }),
    figure('memory with an empty store', idleMb, 'MB', { atMost: 120 }),
  ];
  return { figures, loads };
}

async function measureLoads(
  ours: Server,
  bare: Server,
  catalogue: Catalogue,
): Promise<Record<string, Ratio>> {
  const servers = { ours, bare };
  const paths = PATHS_PER_SECOND * options.seconds;
  const loads: Record<string, Ratio> = {};
  step('load: hot page of 10');
  loads['hot page of 10'] = await measureRatio(servers, () => [{ path: HOT_PATH }], options);
  step('load: different pages');
  loads['different pages'] = await measureRatio(
    servers,
    (round) => pagePaths(catalogue, paths, 100 + round).map((path) => ({ path })),
    options,
  );
  step('load: get one');
  loads['get one'] = await measureRatio(
    servers,
    (round) => toolPaths(catalogue, paths, 200 + round).map((path) => ({ path })),
    options,
  );
  return loads;
}

async function startOurs(): Promise<Server> {
  const logFile = join(folder, 'ours.log');
  const server = await startServer(() => [COMMAND, 'serve'], {
    logFile,
    env: (port) => environment(folder, port),
  });
  running.add(server);
  return server;
}

/** Checks our answers and starts the bare server with bodies that it takes from them. */
async function startBare(ours: Server, catalogue: Catalogue): Promise<Server> {
  const sample = {
    pages: pagePaths(catalogue, SAMPLE.pages, 1),
    tools: toolPaths(catalogue, SAMPLE.tools, 2),
  };
  const bodies = await sampleBodies(ours, sample, catalogue);
  const file = join(folder, 'bodies.json');
  writeFileSync(file, JSON.stringify(bodies));
  const logFile = join(folder, 'bare.log');
  const bare = await startServer((port) => [BARE, String(port), file], {
    logFile,
    env: () => ({}),
  });
  running.add(bare);
  await assertBare(bare, sample, bodies);
  return bare;
}

async function stop(server: Server): Promise<void> {
  running.delete(server);
  await server.stop();
}

function step(text: string): void {
  console.log(`${new Date().toISOString().slice(11, 19)} ${text}`);
}
