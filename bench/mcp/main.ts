// `npm run bench:mcp -- [--tools N] [--file FILE]`: the MCP endpoint with N made tools or those of a
// JSON Lines file: how long answers take, what open streams cost, what the SDK alone would do, and
// the tokens of what tools/list shows. Writes MCP.md.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { writeTools } from '../fill.ts';
import { cpuSeconds, residentMb, runNode, type Server, startServer } from '../processes.ts';
import { BASE } from '../requests.ts';
import { COMMAND, environment } from '../servers.ts';
import { post, quantile, resultOf, send, times } from './client.ts';

const ALONE = fileURLToPath(new URL('./sdk-alone.ts', import.meta.url));
const SEARCHES = [
  'read file',
  'send message',
  'search',
  'database query',
  'weather',
  'create issue',
];
const ASKED = 400;
const STREAMS = 1_000;
const CALLS = 4_000;
const AT_ONCE = 16;
const ROUNDS = 5;
/** Rounds of both before those that count. */
const WARM_UP = 3;

const HEAD = `# The MCP endpoint, measured

By \`npm run bench:mcp\` (bench/mcp/main.ts), with the server alone on one core. Times are of one request
after the other on one connection, by messages of revision 2026-07-28 with Basic credentials. CPU a call
is the server's processor time of ${CALLS} calls, ${AT_ONCE} at once, by their number, after ${WARM_UP} rounds of which
neither counts; the SDK alone has one tool
that does nothing, without credentials, log or store. Streams: \`subscriptions/listen\`, ${STREAMS} open at
once. Tokens by gpt-tokenizer's \`o200k_base\`, of the tools as \`tools/list\` gives them.
`;

const { values } = parseArgs({
  options: { tools: { type: 'string', default: '21205' }, file: { type: 'string' } },
});
const folder = mkdtempSync(join(tmpdir(), 'toolcrib-mcp-'));
const servers: Server[] = [];
try {
  await run();
} finally {
  for (const server of servers) await server.stop();
  rmSync(folder, { recursive: true });
}

async function run(): Promise<void> {
  const made = join(folder, 'tools.jsonl');
  if (values.file === undefined) await writeTools(made, Number(values.tools));
  const args = [COMMAND, 'import', values.file ?? made, ...(values.file ? ['--prefix'] : [])];
  const env = (port: number) => ({ ...environment(folder, port), TOOLCRIB_MCP_TOOLS: 'all' });
  // Of a file from the field some lines are refused, and then the command ends with 1.
  await runNode(args, { env: env(0) }).catch(() => undefined);
  const ours = await start('ours', () => [COMMAND, 'serve'], env);
  const alone = await start(
    'alone',
    (port) => [ALONE, String(port)],
    () => ({}),
  );
  const { origin } = ours;
  const total = (await resultOf(post(origin, 'tools/search', { limit: 1 })))['total'];
  const rows: string[][] = [['tools', String(total)]];

  const query = (at: number) => SEARCHES[at % SEARCHES.length] as string;
  const ms = async (name: string, ask: (at: number) => Promise<unknown>) => {
    const taken = await times(ASKED, ask);
    const [p50, p95] = [quantile(taken, 0.5), quantile(taken, 0.95)];
    rows.push([`${name}: p50 / p95`, `${p50.toFixed(1)} / ${p95.toFixed(1)} ms`]);
    return p50;
  };
  await ms('`tools/search`', (at) => resultOf(post(origin, 'tools/search', { query: query(at) })));
  await ms('`search_tools`', (at) => resultOf(call(origin, 'search_tools', { query: query(at) })));
  const cursors = await pages(origin);
  await ms('`tools/list`, a page of 200', (at) =>
    resultOf(post(origin, 'tools/list', { cursor: cursors[at % cursors.length] })),
  );
  for (let at = 0; at < 200; at += 1) {
    const content = `Decision ${at}: the ${query(at)} service of project ${at % 7} keeps its port`;
    await resultOf(call(origin, 'remember', { content, path: `projects/${at % 7}` }));
  }
  const overMcp = await ms('`search_memory` over MCP', (at) =>
    resultOf(call(origin, 'search_memory', { query: `decision ${at % 200} port` })),
  );
  const overRest = await ms('the same over REST', async (at) => {
    const path = `${BASE}/memories/search?query=decision%20${at % 200}%20port`;
    for await (const _ of await send(`${origin}${path}`));
  });
  rows.push(['`search_memory`, MCP above REST, p50', `${(overMcp - overRest).toFixed(1)} ms`]);

  const ratios: number[] = [];
  // Both warm: what a server does for days is compared, not how soon its code is compiled.
  for (let round = 0; round < WARM_UP; round += 1) {
    await cpuOfCalls(alone, 'nothing', {});
    await cpuOfCalls(ours, 'get_memory', { reference: await anyMemory(origin) });
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    const nothing = await cpuOfCalls(alone, 'nothing', {});
    const recalled = await cpuOfCalls(ours, 'get_memory', { reference: await anyMemory(origin) });
    ratios.push(nothing / recalled);
    rows.push([
      `CPU a call, round ${round + 1}: SDK alone / \`get_memory\``,
      `${(nothing * 1e6).toFixed(0)} / ${(recalled * 1e6).toFixed(0)} µs`,
    ]);
  }
  ratios.sort((a, b) => a - b);
  rows.push([
    'calls by CPU, of what the SDK alone does (median)',
    quantile(ratios, 0.5).toFixed(2),
  ]);

  // One of its own: what the others were asked left garbage, in which streams would hide.
  await streams(await start('streams', () => [COMMAND, 'serve'], env), rows);
  await tokens(origin, rows);
  const lines = rows.map((cells) => `| ${cells.join(' | ')} |`);
  const table = ['| figure | measured |', '| --- | ---: |', ...lines].join('\n');
  console.log(table);
  writeFileSync(new URL('../MCP.md', import.meta.url), `${HEAD}\n${table}\n`);
}

async function start(
  name: string,
  makeArguments: (port: number) => string[],
  env: (port: number) => NodeJS.ProcessEnv,
): Promise<Server> {
  const server = await startServer(makeArguments, { logFile: join(folder, `${name}.log`), env });
  servers.push(server);
  return server;
}

function call(origin: string, name: string, args: object) {
  return post(origin, 'tools/call', { name, arguments: args });
}

/** The cursors of all pages but the first. */
async function pages(origin: string): Promise<string[]> {
  const cursors: string[] = [];
  for (let cursor: unknown = ''; typeof cursor === 'string'; ) {
    if (cursor !== '') cursors.push(cursor);
    cursor = (await resultOf(post(origin, 'tools/list', { cursor })))['nextCursor'];
  }
  return cursors;
}

async function anyMemory(origin: string): Promise<string> {
  const { structuredContent } = await resultOf(call(origin, 'list_memories', { size: 1 }));
  const { memories } = structuredContent as { memories: { reference: string }[] };
  return memories[0]?.reference ?? '';
}

/** Seconds of processor time of the server, a call. */
async function cpuOfCalls({ origin, pid }: Server, name: string, args: object): Promise<number> {
  const worker = async (count: number) => {
    for (let at = 0; at < count; at += 1) await resultOf(call(origin, name, args));
  };
  const all = (count: number) =>
    Promise.all(Array.from({ length: AT_ONCE }, () => worker(count / AT_ONCE)));
  await all(CALLS / 4);
  const before = cpuSeconds(pid);
  await all(CALLS);
  return (cpuSeconds(pid) - before) / CALLS;
}

async function streams({ origin, pid }: Server, rows: string[][]): Promise<void> {
  const ping = () => times(ASKED, () => resultOf(post(origin, 'tools/search', { limit: 1 })));
  const idle = quantile(await ping(), 0.5);
  const before = residentMb(pid);
  const open = [];
  for (let at = 0; at < STREAMS; at += 1) {
    const stream = await post(origin, 'subscriptions/listen', {
      notifications: { toolsListChanged: true },
    });
    if (stream.statusCode !== 200) throw new Error(`stream ${at}: ${stream.statusCode}`);
    open.push(stream.resume());
  }
  rows.push([`${STREAMS} streams`, `${(residentMb(pid) - before).toFixed(0)} MB`]);
  const busy = quantile(await ping(), 0.5);
  rows.push(['a request without / with them, p50', `${idle.toFixed(2)} / ${busy.toFixed(2)} ms`]);
  for (const stream of open) stream.on('error', () => undefined).destroy();
}

async function tokens(origin: string, rows: string[][]): Promise<void> {
  const counted = { built: 0, all: 0 };
  for (let cursor: unknown = ''; typeof cursor === 'string'; ) {
    const page = await resultOf(post(origin, 'tools/list', { cursor }));
    for (const tool of page['tools'] as { _meta?: { callable?: boolean } }[]) {
      const count = encode(JSON.stringify(tool)).length;
      counted.all += count;
      if (tool._meta?.callable === undefined) counted.built += count;
    }
    cursor = page['nextCursor'];
  }
  rows.push(['tokens of `tools/list`: `all`', counted.all.toLocaleString('en')]);
  rows.push(['tokens of `tools/list`: `lean`', counted.built.toLocaleString('en')]);
}
