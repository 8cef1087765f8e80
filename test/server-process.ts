import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { BASE, basic } from './helper.ts';

const MAIN = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url));

export interface ServerProcess {
  child: ChildProcess;
  /** A request below the base path, as the admin. */
  request: (method: string, path: string, body?: unknown) => Promise<Response>;
  /** Ends it without a chance to tidy up. */
  kill: () => Promise<void>;
}

/** `toolcrib serve` as a process of its own, on the file `toolcrib.db` in `folder`. */
export async function startServerProcess(t: TestContext, folder: string): Promise<ServerProcess> {
  const child = spawn(process.execPath, [MAIN, 'serve'], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      TOOLCRIB_DATABASE_URL: `file:${folder}/toolcrib.db`,
      TOOLCRIB_PORT: '0',
      TOOLCRIB_LOG_LEVEL: 'silent',
      TOOLCRIB_ADMIN_PASSWORD: 'password of admin',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  t.after(() => child.kill('SIGKILL'));
  const url = `${await listeningUrl(child)}${BASE}`;
  const authorization = basic('admin', 'password of admin');
  return {
    child,
    request: (method, path, body) =>
      fetch(`${url}${path}`, {
        method,
        headers: { authorization, ...(body ? { 'content-type': 'application/json' } : {}) },
        body: body ? JSON.stringify(body) : null,
      }),
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

async function listeningUrl({ stderr }: ChildProcess): Promise<string> {
  assert(stderr);
  let text = '';
  for await (const chunk of stderr.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    text += chunk;
    const url = /listens on (\S+)/.exec(text)?.[1];
    if (url === undefined) continue;
    stderr.resume();
    return url;
  }
  throw new Error(`The server did not start: ${text}`);
}
