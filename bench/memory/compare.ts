// `npm run bench:server-memory`: search and write side by side with @modelcontextprotocol/server-memory
// over the same 10,000 memories, one request at a time, each by the way its clients go: MCP over stdio
// there, HTTP here. It is installed into a temporary folder.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { startServer } from '../processes.ts';
import { createTexts } from './texts.ts';

const OTHER = '@modelcontextprotocol/server-memory@2026.8.31';
const COMMAND = fileURLToPath(new URL('../../bin/toolcrib.cjs', import.meta.url));
const PASSWORD = 'password of the benchmark';
const MEMORIES = 10_000;
const EACH = 100;

/** One of the two: takes all memories, then one, and finds those with a word. */
interface Subject {
  name: string;
  fill: (contents: readonly string[]) => Promise<void>;
  write: (content: string) => Promise<void>;
  /** @returns whether anything was found. */
  search: (word: string) => Promise<boolean>;
  stop: () => Promise<void>;
}

const folder = mkdtempSync(join(tmpdir(), 'toolcrib-memory-'));
const texts = createTexts(1);
const contents = Array.from({ length: MEMORIES }, () => texts.content());
// Words that few contents have: what one asks a memory for.
const words = Array.from({ length: EACH }, () => {
  const content = texts.random.pick(contents).split(' ');
  return content.reduce((longest, word) => (word.length > longest.length ? word : longest));
});
const subjects = [await startOther(), await startOurs()];
try {
  for (const subject of subjects) await subject.fill(contents);
  const times = subjects.map(() => ({ search: [] as number[], write: [] as number[] }));
  // In turns, so that what disturbs one disturbs the other.
  for (let at = 0; at < EACH; at += 1) {
    for (const [which, subject] of subjects.entries()) {
      const word = words[at] as string;
      const started = performance.now();
      if (!(await subject.search(word))) throw new Error(`${subject.name} does not find ${word}`);
      const found = performance.now();
      await subject.write(`${texts.content()} ${at}`);
      times[which]?.search.push(found - started);
      times[which]?.write.push(performance.now() - found);
    }
  }
  for (const what of ['search', 'write'] as const) {
    const [other = 0, ours = 0] = times.map((each) => median(each[what]));
    console.log(
      `${what}: ${other.toFixed(1)} ms there, ${ours.toFixed(1)} ms here: ${(other / ours).toFixed(1)} times as fast`,
    );
  }
} finally {
  for (const subject of subjects) await subject.stop();
  rmSync(folder, { recursive: true });
}

function median(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

async function startOther(): Promise<Subject> {
  execFileSync('npm', ['install', '--silent', '--no-save', '--prefix', folder, OTHER], {
    stdio: 'inherit',
    // Without this project's settings, which npm hands on.
    env: Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')),
    ),
  });
  const file = join(folder, 'node_modules/@modelcontextprotocol/server-memory/dist/index.js');
  const child = spawn(process.execPath, [file], {
    env: { PATH: process.env['PATH'], MEMORY_FILE_PATH: join(folder, 'memory.jsonl') },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let id = 0;
  async function call(method: string, params: object): Promise<Record<string, unknown>> {
    id += 1;
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    for (;;) {
      const { value, done } = await lines.next();
      if (done) throw new Error('It ended');
      const message = JSON.parse(value);
      if (message.id === id) return message.result;
    }
  }
  await call('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  });
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
  let count = 0;
  const entity = (content: string) => {
    count += 1;
    return { name: `memory-${count}`, entityType: 'memory', observations: [content] };
  };
  const create = (all: readonly string[]) =>
    call('tools/call', { name: 'create_entities', arguments: { entities: all.map(entity) } });
  return {
    name: OTHER,
    fill: async (all) => void (await create(all)),
    write: async (content) => void (await create([content])),
    async search(query) {
      const result = await call('tools/call', { name: 'search_nodes', arguments: { query } });
      return JSON.stringify(result).includes('observations');
    },
    stop: async () => void child.kill(),
  };
}

async function startOurs(): Promise<Subject> {
  const server = await startServer(() => [COMMAND, 'serve'], {
    logFile: join(folder, 'log'),
    env: (port) => ({
      TOOLCRIB_PORT: String(port),
      TOOLCRIB_DATABASE_URL: `file:${join(folder, 'toolcrib.db')}`,
      TOOLCRIB_ADMIN_PASSWORD: PASSWORD,
      TOOLCRIB_LOG_LEVEL: 'warn',
    }),
  });
  const headers = {
    authorization: `Basic ${Buffer.from(`admin:${PASSWORD}`).toString('base64')}`,
    'content-type': 'application/json',
  };
  const url = `${server.origin}/_plugins/_ml/mcp/memories`;
  const post = async (path: string, body: object) => {
    const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(await answer.text());
    await answer.arrayBuffer();
  };
  const memory = (content: string) => ({ content, path: 'projects/x' });
  return {
    name: 'toolcrib',
    async fill(all) {
      for (let at = 0; at < all.length; at += 1_000) {
        await post('/import', { memories: all.slice(at, at + 1_000).map(memory) });
      }
    },
    write: (content) => post('', memory(content)),
    async search(query) {
      const answer = await fetch(`${url}/search?query=${query}&limit=50`, { headers });
      return ((await answer.json()) as { data: { hits: unknown[] } }).data.hits.length > 0;
    },
    stop: () => server.stop(),
  };
}
