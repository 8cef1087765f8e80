// `npm run bench:usage`: how fast calls are recorded, and what that does to readers, with 100,000
// tools. Writes USAGE.md, which says how each figure is measured.
import {
  closeSync,
  fdatasyncSync,
  mkdtempSync,
  openSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { bulks, singleCalls } from './calls.ts';
import { importTools, writeTools } from './fill.ts';
import { readOptions } from './options.ts';
import { type Server, startServer } from './processes.ts';
import { AUTHORIZATION, BASE } from './requests.ts';
import { measure, measureRatio, median } from './rounds.ts';
import { BARE, COMMAND, environment } from './servers.ts';

const SORTED = `${BASE}/tools?sort=usage_stats.total_calls&order=desc`;
const RECORDED_A_SECOND = 500;

const options = readOptions();
const { rounds, seconds } = options;
const folder = mkdtempSync(join(tmpdir(), 'toolcrib-bench-'));
const servers: Server[] = [];
try {
  await run();
} finally {
  for (const server of servers) await server.stop();
  rmSync(folder, { recursive: true });
}

async function run(): Promise<void> {
  const file = join(folder, 'tools.jsonl');
  const { ids } = await writeTools(file, options.tools);
  await importTools(COMMAND, file, options.tools, environment(folder, 0));
  const ours = await start(
    'ours',
    () => [COMMAND, 'serve'],
    (port) => environment(folder, port),
  );
  const bodies = join(folder, 'bodies.json');
  writeFileSync(bodies, JSON.stringify({ recorded: await answerOf(ours, ids) }));
  const bare = await start(
    'bare',
    (port) => [BARE, String(port), bodies],
    () => ({}),
  );

  const syncMs = diskSyncMs();
  const single = await measureRatio(
    { ours, bare },
    (round) => singleCalls(ids, 20_000 * seconds, 100 + round),
    { rounds, seconds, connections: 64 },
  );
  const bulk = [];
  for (let round = 0; round < rounds; round += 1) {
    bulk.push(
      await measure(ours, bulks(ids, 60 * seconds, 200 + round), { connections: 4, seconds }),
    );
  }
  const sorted = [];
  for (let round = 0; round < rounds; round += 1) {
    const list = () => measure(ours, [{ path: SORTED }], { connections: 32, seconds });
    const idle = await list();
    const calls = singleCalls(ids, RECORDED_A_SECOND * seconds, 300 + round);
    const [busy, recorded] = await Promise.all([
      list(),
      measure(ours, calls, { connections: 8, seconds, rate: RECORDED_A_SECOND }),
    ]);
    sorted.push({ idle, busy, recorded });
  }

  const failures = [
    ...single.rounds.map(({ ours }) => ours),
    ...bulk,
    ...sorted.flatMap((round) => Object.values(round)),
  ];
  const rows = [
    ['recording, 64 connections: ratio to a bare POST', single.ratio.toFixed(3), '≥ 0.35'],
    ['… calls a second', medianOf(single.rounds, ({ ours }) => ours.perSecond), ''],
    ['… p99', `${medianOf(single.rounds, ({ ours }) => ours.p99Ms)} ms`, '≤ 60 ms'],
    ["the disk's own sync of 4 KB, median", `${syncMs.toFixed(2)} ms`, ''],
    [
      'bulks of 1,000: calls a second',
      medianOf(bulk, ({ perSecond }) => perSecond * 1_000),
      '≥ 40000',
    ],
    [
      'list by total_calls while recording: part of its idle speed',
      median(sorted.map(({ idle, busy }) => busy.perSecond / idle.perSecond)).toFixed(3),
      '≥ 0.5',
    ],
    ['… p99 while recording', `${medianOf(sorted, ({ busy }) => busy.p99Ms)} ms`, '≤ 30 ms'],
    [
      '… calls recorded a second',
      medianOf(sorted, ({ recorded }) => recorded.perSecond),
      `${RECORDED_A_SECOND}`,
    ],
    ['answers that failed', String(failures.reduce((sum, load) => sum + load.failures, 0)), '0'],
  ];
  const table = [['figure', 'measured', 'bound'], ['---', '---:', '---:'], ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
  writeFileSync(new URL('USAGE.md', import.meta.url), report(table));
  console.log(table);
}

function report(table: string): string {
  return `# Recording calls

${options.tools.toLocaleString('en')} tools, ${rounds} rounds of ${seconds} s, medians. ${new Date().toISOString().slice(0, 10)}, ${cpus()[0]?.model}, ${cpus().length} cores, Node ${process.version}.

${table}

By \`npm run bench:usage\`, in the way of [RESULTS.md](RESULTS.md): the server on one core, the load on
the other. Every answer comes after its calls are on disk. Tools are called unevenly (the tool at rank
r 1 / r times as often as the first), by 20 callers, 3 % with an error. The bare POST parses the same
body and sends the same answer. Bulks go over 4 connections. The list is the first page in the
order that recording changes; its idle and its busy speed are measured in turns.
`;
}

function medianOf<Item>(items: readonly Item[], pick: (item: Item) => number): string {
  return median(items.map(pick)).toFixed(0);
}

async function answerOf(server: Server, ids: string[]): Promise<string> {
  const [request] = singleCalls(ids, 1, 1);
  const answer = await fetch(`${server.origin}${request?.path}`, {
    method: 'POST',
    headers: { authorization: AUTHORIZATION, 'content-type': 'application/json' },
    body: request?.body ?? '',
  });
  if (answer.status !== 201) throw new Error(`recording: ${answer.status}`);
  return answer.text();
}

/** The median of 200 appends of 4 KB, each with its own wait for the disk. */
function diskSyncMs(): number {
  const file = openSync(join(folder, 'sync'), 'w');
  const page = Buffer.alloc(4096, 1);
  const times = Array.from({ length: 200 }, () => {
    const started = performance.now();
    writeSync(file, page);
    fdatasyncSync(file);
    return performance.now() - started;
  });
  closeSync(file);
  return median(times);
}

async function start(
  name: string,
  args: (port: number) => string[],
  env: (port: number) => NodeJS.ProcessEnv,
): Promise<Server> {
  const server = await startServer(args, { logFile: join(folder, `${name}.log`), env });
  servers.push(server);
  return server;
}
