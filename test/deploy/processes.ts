import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { temporaryFolder } from '../helper.ts';
import { freePort, ROOT, runProgram } from './tools.ts';

const START_PATIENCE_MS = 20_000;

/** A process with its output in a file. */
export interface Running {
  child: ChildProcess;
  /** All that it has written so far. */
  output: () => string;
}

/** Starts a process that is killed after the test at the latest. */
export function start(
  t: TestContext,
  file: string,
  args: string[],
  { env = {}, cwd = ROOT }: { env?: NodeJS.ProcessEnv; cwd?: string } = {},
): Running {
  const log = join(temporaryFolder(t), 'log');
  const handle = openSync(log, 'a');
  const child = spawn(file, args, {
    cwd,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', handle, handle],
  });
  closeSync(handle);
  t.after(() => child.kill('SIGKILL'));
  return { child, output: () => readFileSync(log, 'utf8') };
}

/** Waits until `check` holds. @throws Error when the process ends before, or takes too long. */
export async function until(
  check: () => Promise<boolean> | boolean,
  { child, output }: Running,
): Promise<void> {
  const deadline = performance.now() + START_PATIENCE_MS;
  while (!(await check())) {
    const ended = child.exitCode !== null || child.signalCode !== null;
    if (ended || performance.now() > deadline) throw new Error(`Not in time: ${output()}`);
    await delay(10);
  }
}

export async function isReady(origin: string): Promise<boolean> {
  const answer = await fetch(`${origin}/readyz`).catch(() => undefined);
  await answer?.arrayBuffer();
  return answer?.status === 200;
}

export const USER = 'username';
export const PASSWORD = 'password';

export interface Server extends Running {
  port: number;
  origin: string;
}

/** `toolcrib serve` with the user of the examples and their tools, behind a gateway of this machine. */
export async function startServer(
  t: TestContext,
  { wantedPort, empty = false }: { wantedPort?: number; empty?: boolean } = {},
): Promise<Server> {
  const folder = temporaryFolder(t);
  const port = await freePort(wantedPort);
  const env = {
    PATH: process.env['PATH'],
    TOOLCRIB_PORT: String(port),
    TOOLCRIB_DATABASE_URL: `file:${folder}/toolcrib.db`,
    TOOLCRIB_ADMIN_USER: USER,
    TOOLCRIB_ADMIN_PASSWORD: PASSWORD,
    TOOLCRIB_TRUSTED_PROXIES: '127.0.0.1',
  };
  const command = join(ROOT, 'bin/toolcrib.cjs');
  if (!empty) {
    const tools = join(ROOT, 'demo/tools.jsonl');
    runProgram(process.execPath, [command, 'import', tools], { env, cwd: folder });
  }
  const running = start(t, process.execPath, [command, 'serve'], { env, cwd: folder });
  const origin = `http://127.0.0.1:${port}`;
  await until(() => isReady(origin), running);
  return { ...running, port, origin };
}

export interface Gateway extends Running {
  origin: string;
  port: number;
  /** The file of Caddy's root certificate. */
  rootCertificate: string;
  /** The lines of its access log, once there are at least so many. */
  accesses: (atLeast: number) => Promise<string[]>;
}

/** Debian's Caddy with the compose file's own Caddyfile and environment, on port 9200 if that is free. */
export async function startGateway(
  t: TestContext,
  upstreamPort: number,
  env: NodeJS.ProcessEnv = {},
): Promise<Gateway> {
  const folder = temporaryFolder(t);
  const port = await freePort(9200);
  mkdirSync(join(folder, 'data'));
  const args = ['run', '--adapter', 'caddyfile', '--config', join(ROOT, 'deploy/Caddyfile')];
  const running = start(t, 'caddy', args, {
    env: {
      HOME: folder,
      XDG_DATA_HOME: join(folder, 'data'),
      XDG_CONFIG_HOME: join(folder, 'config'),
      GATEWAY_LISTEN_PORT: String(port),
      GOMAXPROCS: '1',
      GOGC: '400',
      GATEWAY_UPSTREAM: `127.0.0.1:${upstreamPort}`,
      ...env,
    },
  });
  await until(() => running.output().includes('serving initial configuration'), running);
  const handled = () => running.output().match(/^.*"handled request".*$/gm) ?? [];
  return {
    ...running,
    port,
    origin: `https://localhost:${port}`,
    rootCertificate: join(folder, 'data/caddy/pki/authorities/local/root.crt'),
    async accesses(atLeast) {
      await until(() => handled().length >= atLeast, running);
      return handled();
    },
  };
}

/** Sends SIGTERM. @returns milliseconds to its end. */
export async function stop({ child }: Running): Promise<number> {
  const started = performance.now();
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  const [code, signal] = await exit;
  assert.deepEqual([code, signal], [0, null]);
  return performance.now() - started;
}
