import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The path of a program, also where PATH leaves out the folders of system programs. */
export function findProgram(name: string): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/bin'];
  return folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
}

/** For the option `skip` of a test: the notice when one of the programs is missing, else false. */
export function without(...programs: string[]): string | false {
  const missing = programs.filter((name) => findProgram(name) === undefined);
  return missing.length > 0 && `not installed: ${missing.join(', ')}`;
}

/** Runs a program to its end. @throws Error when it fails, with all that it said. */
export function runProgram(
  file: string,
  args: string[],
  options: { env?: NodeJS.ProcessEnv; cwd?: string; input?: string } = {},
): string {
  const { status, stdout, stderr, error } = spawnSync(file, args, {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    ...options,
  });
  if (status !== 0) throw new Error(`${file} ${args.join(' ')}: ${error ?? ''} ${stdout}${stderr}`);
  return stdout;
}

/** `wanted` when it is free on every address, else another free port. */
export async function freePort(wanted = 0): Promise<number> {
  for (const port of [wanted, 0]) {
    const server = createServer();
    try {
      server.listen(port);
      await once(server, 'listening');
    } catch {
      continue;
    }
    const address = server.address();
    server.close();
    await once(server, 'close');
    if (address !== null && typeof address === 'object') return address.port;
  }
  throw new Error('no free port');
}
