import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Server } from './processes.ts';
import { AUTHORIZATION, BASE, type Catalogue, HOT_PATH } from './requests.ts';

const PAGE_SIZE = 10;
/** The sample and the answers of one round are both random, so their averages differ a little. */
const MAX_SIZE_DIFFERENCE = 0.05;
const AT_ONCE = 20;
const LOG_PATIENCE_MS = 5_000;

interface Tool {
  tool_id: string;
  metadata: { category: string };
}

interface Page {
  data: { tools: Tool[]; pagination: { total: number } };
}

/** The answer of our server as text. @throws Error unless it is a whole JSON answer with 200. */
async function ask(origin: string, path: string): Promise<string> {
  const answer = await fetch(`${origin}${path}`, { headers: { authorization: AUTHORIZATION } });
  const body = await answer.text();
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${body.slice(0, 200)}`);
  return body;
}

async function askAll(origin: string, paths: readonly string[]): Promise<string[]> {
  const bodies: string[] = [];
  for (let at = 0; at < paths.length; at += AT_ONCE) {
    const some = paths.slice(at, at + AT_ONCE);
    bodies.push(...(await Promise.all(some.map((path) => ask(origin, path)))));
  }
  return bodies;
}

/** Whether a page has what the catalogue must have there. */
function assertPage(path: string, body: string, { ids, categories }: Catalogue): void {
  const { searchParams } = new URL(path, 'http://localhost');
  const category = searchParams.get('category');
  const total = category === null ? ids.length : (categories.get(category) ?? 0);
  const { tools, pagination } = (JSON.parse(body) as Page).data;
  assertEqual(`${path}: total`, pagination.total, total);
  const left = total - Number(searchParams.get('from') ?? 0);
  assertEqual(`${path}: tools`, tools.length, Math.min(PAGE_SIZE, left));
  for (const { metadata } of tools) {
    if (category !== null) assertEqual(`${path}: category`, metadata.category, category);
  }
}

/** Whether the answer is the tool that was asked for. */
function assertTool(path: string, body: string): void {
  const { data } = JSON.parse(body) as { data: Tool };
  assertEqual(path, `${BASE}/tools/${data.tool_id}`, path);
}

/**
 * Bodies for the bare server: the hot page itself; for the other loads, of all answers to the
 * sample, the ASCII one (the fastest to send) whose size is nearest to the average.
 */
export async function sampleBodies(
  { origin, logFile }: Server,
  sample: { pages: string[]; tools: string[] },
  catalogue: Catalogue,
): Promise<{ hot: string; page: string; tool: string }> {
  const hot = await ask(origin, HOT_PATH);
  assertPage(HOT_PATH, hot, catalogue);
  const pages = await askAll(origin, sample.pages);
  for (const [index, path] of sample.pages.entries())
    assertPage(path, pages[index] ?? '', catalogue);
  const tools = await askAll(origin, sample.tools);
  for (const [index, path] of sample.tools.entries()) assertTool(path, tools[index] ?? '');
  await assertLines(logFile, 1 + pages.length + tools.length);
  return { hot, page: average(pages), tool: average(tools) };
}

/** Whether the bare server sends what ours does. */
export async function assertBare(
  { origin, logFile }: Server,
  sample: { pages: string[]; tools: string[] },
  bodies: { hot: string; page: string; tool: string },
): Promise<void> {
  const [page = '', tool = ''] = [sample.pages[0], sample.tools[0]];
  assertEqual('bare hot page', await ask(origin, HOT_PATH), bodies.hot);
  assertEqual('bare page', await ask(origin, page), bodies.page);
  assertEqual('bare tool', await ask(origin, tool), bodies.tool);
  // One more for /readyz.
  await assertLines(logFile, 3 + 1);
}

/** Whether the answers of both servers under load had about the same size. */
export function sameSize(ours: number, bare: number): boolean {
  return Math.abs(ours / bare - 1) <= MAX_SIZE_DIFFERENCE;
}

function average(bodies: readonly string[]): string {
  const size = bodies.reduce((sum, body) => sum + Buffer.byteLength(body), 0) / bodies.length;
  const distance = (body: string) => Math.abs(body.length - size);
  const ascii = bodies.filter((body) => Buffer.byteLength(body) === body.length);
  return ascii.reduce((best, body) => (distance(body) < distance(best) ? body : best));
}

/** Whether every request was logged; a line is written after its answer, so it may take a moment. */
async function assertLines(file: string, wanted: number): Promise<void> {
  const deadline = performance.now() + LOG_PATIENCE_MS;
  const count = () => readFileSync(file, 'utf8').split('"status":').length - 1;
  while (count() < wanted && performance.now() < deadline) await delay(20);
  assertEqual(`requests in ${file}`, count(), wanted);
}

function assertEqual(what: string, got: unknown, wanted: unknown): void {
  if (got !== wanted) throw new Error(`${what} is ${String(got)}, not ${String(wanted)}`);
}
