import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';

/** The servers run alone on one core, the load on another. */
const SERVER_CORE = 0;
export const LOAD_CORE = 1;

const START_PATIENCE_MS = 60_000;
/** Of `/proc/PID/stat`: USER_HZ is 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

/** A running server. */
export interface Server {
  pid: number;
  origin: string;
  /** Milliseconds from spawn to the first right answer of `/readyz`. */
  startMs: number;
  logFile: string;
  stop: () => Promise<void>;
}

/** The options of Node in `npm start`; the yardstick runs with the same. */
function nodeOptions(): string[] {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  return String(scripts.start).match(/--[\w-]+(=\S+)?/g) ?? [];
}

/** Starts Node on the servers' core with its log in a file, and waits until it is ready. */
export async function startServer(
  makeArguments: (port: number) => string[],
  { logFile, env }: { logFile: string; env: (port: number) => NodeJS.ProcessEnv },
): Promise<Server> {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  // Appending, so that the file can be cut between rounds.
  const log = openSync(logFile, 'a');
  const started = performance.now();
  const child = spawn(
    'taskset',
    ['-c', String(SERVER_CORE), process.execPath, ...nodeOptions(), ...makeArguments(port)],
    { stdio: ['ignore', log, 'inherit'], env: { ...process.env, ...env(port) } },
  );
  closeSync(log);
  const exit = once(child, 'exit');
  const pid = pidOf(child);
  try {
    await ready(`${origin}/readyz`, child);
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
  return {
    pid,
    origin,
    startMs: performance.now() - started,
    logFile,
    async stop() {
      child.kill('SIGTERM');
      await exit;
    },
  };
}

async function ready(url: string, child: ChildProcess): Promise<void> {
  const deadline = performance.now() + START_PATIENCE_MS;
  while (child.exitCode === null && performance.now() < deadline) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.status === 200) {
      await answer.arrayBuffer();
      return;
    }
    await delay(5);
  }
  throw new Error(`No answer from ${url}`);
}

/** Runs Node to its end, pinned to a core when one is named. @returns its stdout. */
export async function runNode(
  args: string[],
  options: { core?: number; input?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<string> {
  const command = [process.execPath, ...args];
  if (options.core !== undefined) command.unshift('taskset', '-c', String(options.core));
  const [file = '', ...rest] = command;
  const child = spawn(file, rest, {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...options.env },
  });
  child.stdin.end(options.input ?? '');
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}`);
  return output;
}

/** Resident memory in MB (2²⁰ bytes). */
export function residentMb(pid: number): number {
  const kb = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kb) / 1024;
}

/** Seconds of processor time that the process has used, in user and system mode. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // Behind the command's name, which may hold spaces: state is field 3, utime and stime 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}

function pidOf(child: ChildProcess): number {
  if (child.pid === undefined) throw new Error('taskset cannot be started; it is needed here');
  return child.pid;
}
