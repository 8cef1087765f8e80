import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

export interface CliResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs the `toolcrib` command as its user does, on the store in `folder`. */
export function runCli(
  folder: string,
  args: readonly string[],
  { input = '', environment = {} }: { input?: string; environment?: Record<string, string> } = {},
): Promise<CliResult> {
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      TOOLCRIB_DATABASE_URL: `file:${folder}/toolcrib.db`,
      ...environment,
    },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}
