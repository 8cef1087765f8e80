// `npm run bench:search -- [--tools N] [--file FILE]`: how long searches take, with N made tools or
// those of a JSON Lines file (named by their servers), and how long the event loop stands still.
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { toolFilter } from '../src/catalogue/list.ts';
import { openStore, type Store } from '../src/store/store.ts';
import { writeTools } from './fill.ts';
import { runNode } from './processes.ts';
import { createRandom } from './random.ts';
import { createSearches } from './searches.ts';

const COMMAND = fileURLToPath(new URL('../bin/toolcrib.cjs', import.meta.url));
const SEARCHES = 300;
const WARM_UP = 30;
/** Tools whose texts the searches are made of. */
const SAMPLE = 2_000;

const { values } = parseArgs({
  options: { tools: { type: 'string', default: '21205' }, file: { type: 'string' } },
});
const folder = mkdtempSync(join(tmpdir(), 'toolcrib-bench-'));
try {
  await run();
} finally {
  rmSync(folder, { recursive: true });
}

async function run(): Promise<void> {
  const made = join(folder, 'tools.jsonl');
  if (values.file === undefined) await writeTools(made, Number(values.tools));
  const url = `file:${join(folder, 'toolcrib.db')}`;
  const args = [COMMAND, 'import', values.file ?? made, ...(values.file ? ['--prefix'] : [])];
  const started = performance.now();
  // Of a file from the field some lines are refused, and then the command ends with 1.
  await runNode(args, { env: { TOOLCRIB_DATABASE_URL: url } }).catch(() => undefined);
  const importSeconds = (performance.now() - started) / 1000;

  const store = openStore(url);
  const [count = 0] = store.db.raw.prepare('select count(*) from tools').pluck().all() as number[];
  const bytes = statSync(store.file).size;
  const first = await timed(store, 'first search', 'name');
  const rows = [
    ['tools', String(count)],
    ['import', `${importSeconds.toFixed(1)} s`],
    ['file, each 100,000 tools', `${(((bytes / count) * 1e5) / 1e6).toFixed(0)} MB`],
    ['first search', `${first.toFixed(0)} ms`],
  ];

  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  for (const { name, sort, next } of createSearches(await sample(store), createRandom(7))) {
    const times: number[] = [];
    for (let at = 0; at < WARM_UP + SEARCHES; at += 1) {
      const ms = await timed(store, next(), sort);
      if (at >= WARM_UP) times.push(ms);
    }
    times.sort((a, b) => a - b);
    const quantile = (part: number) => (times[Math.floor(part * times.length)] ?? 0).toFixed(1);
    rows.push([`${name}: p50 / p95`, `${quantile(0.5)} / ${quantile(0.95)} ms`]);
  }
  delays.disable();
  rows.push(['longest stop of the event loop', `${(delays.max / 1e6).toFixed(0)} ms`]);
  store.close();
  const lines = rows.map((cells) => `| ${cells.join(' | ')} |`);
  console.log(['| figure | measured |', '| --- | ---: |', ...lines].join('\n'));
}

/** Milliseconds of one search, its page read from the store. */
async function timed(store: Store, search: string, sort: 'name' | 'relevance'): Promise<number> {
  const started = performance.now();
  const order = sort === 'name' ? 'asc' : 'desc';
  const filter = toolFilter({ search }, sort === 'relevance');
  await store.tools.list({ filter, sort, order, size: 10, from: 0 });
  return performance.now() - started;
}

async function sample(store: Store): Promise<string[]> {
  const query = `select description from tool_texts where description <> ''
    order by (id * 7919) % 100003 limit ${SAMPLE}`;
  return store.db.raw.prepare(query).pluck().all() as string[];
}
