import { isUtf8 } from 'node:buffer';
import { isObject } from '../json.ts';

/** One tool object of a file, or why there is none: the place is a line, or an index of an array. */
export type ImportEntry = { place: string; bytes: number } & (
  | { value: unknown }
  | { fault: string }
);

const NEWLINE = 0x0a;

/**
 * Reads JSON or JSON Lines as a stream of tool objects: lines, an array, `{"tools": […]}`, or an
 * answer that has the latter under `data` or `result`. Lines take constant memory.
 */
export async function* readEntries(input: AsyncIterable<Buffer>): AsyncGenerator<ImportEntry> {
  const lines = splitLines(input);
  const head = await readToText(lines);
  const first = parseLine(head.at(-1) ?? Buffer.alloc(0));
  const isFaulty = 'fault' in first;
  // A faulty first line alone does not say whether it begins a document; the next one may.
  if (isFaulty) head.push(...(await readToText(lines)));
  const isLines = isFaulty ? areLines(head) : toolsOf(first.value) === undefined;
  if (!isLines) {
    const all = [...head];
    for await (const line of lines) all.push(line);
    yield* entriesOfDocument(all);
    return;
  }
  yield* entriesOf(head, 0);
  let number = head.length;
  for await (const line of lines) yield* entriesOf([line], number++);
}

/** The next lines, up to the first that is not blank. */
async function readToText(lines: AsyncGenerator<Buffer>): Promise<Buffer[]> {
  const read: Buffer[] = [];
  // Not `for await`: leaving it early would end the lines.
  for (let next = await lines.next(); !next.done; next = await lines.next()) {
    read.push(next.value);
    if (!isBlank(next.value)) break;
  }
  return read;
}

/** Whether lines that begin with a fault are one object each, as the second one then is. */
function areLines(head: readonly Buffer[]): boolean {
  const [first, second] = head.filter((line) => !isBlank(line));
  if (first === undefined || second === undefined) return false;
  return isObjectLine(second) && !/[[{,:]\s*$/.test(first.toString('latin1', first.length - 100));
}

/** A line that can only be the beginning of a document: `[`, `{"tools": [`. */
const OPENING = /^(?:[[{]\s*(?:"\w+"\s*:\s*(?=[[{]))?)+$/;

/** Lines that are one document together; if they are not, each is taken for itself. */
function* entriesOfDocument(lines: readonly Buffer[]): Generator<ImportEntry> {
  const whole = parseLine(Buffer.concat(withNewlines(lines)));
  if ('value' in whole) {
    const tools = toolsOf(whole.value);
    if (tools === undefined) yield { place: 'line 1', bytes: 0, value: whole.value };
    else yield* tools.map((value, index) => ({ place: `tool ${index}`, bytes: 0, value }));
    return;
  }
  const first = lines.find((line) => !isBlank(line));
  if (first === undefined) return;
  const isDocument = first.length < 100 && OPENING.test(first.toString('latin1').trim());
  // Not even lines of JSON: one report, with the place that the parser names.
  if (isDocument || !lines.some(isObjectLine)) yield { place: 'the file', bytes: 0, ...whole };
  else yield* entriesOf(lines, 0);
}

function isObjectLine(line: Buffer): boolean {
  const parsed = parseLine(line);
  return 'value' in parsed && isObject(parsed.value);
}

/** @param before how many lines of the file came before these. */
function* entriesOf(lines: readonly Buffer[], before: number): Generator<ImportEntry> {
  for (const [index, line] of lines.entries()) {
    if (isBlank(line)) continue;
    yield { place: `line ${before + index + 1}`, bytes: line.length + 1, ...parseLine(line) };
  }
}

async function* splitLines(input: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let pending: Buffer[] = [];
  for await (const chunk of input) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      yield Buffer.concat([...pending, chunk.subarray(from, at)]);
      pending = [];
      from = at + 1;
    }
    if (from < chunk.length) pending.push(chunk.subarray(from));
  }
  if (pending.length > 0) yield Buffer.concat(pending);
}

function withNewlines(lines: readonly Buffer[]): Buffer[] {
  return lines.flatMap((line) => [line, Buffer.from('\n')]);
}

function isBlank(line: Buffer): boolean {
  return line.toString('latin1').trim() === '';
}

function parseLine(line: Buffer): { value: unknown } | { fault: string } {
  if (!isUtf8(line)) return { fault: 'It is not UTF-8' };
  try {
    return { value: JSON.parse(line.toString('utf8').replace(/^\uFEFF/, '')) };
  } catch (error) {
    return { fault: `It is not JSON: ${(error as Error).message}` };
  }
}

/** The list of tools inside a document, or undefined when the value is one tool (or nothing known). */
function toolsOf(value: unknown): unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (!isObject(value)) return undefined;
  if (Array.isArray(value['tools'])) return value['tools'];
  for (const key of ['data', 'result']) {
    const inner = value[key];
    if (isObject(inner) && Array.isArray(inner['tools'])) return inner['tools'];
  }
  return undefined;
}
