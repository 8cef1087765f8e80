import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Config, loadConfig, SETTINGS } from '../config.ts';
import { databaseFile, openStore, type Store } from '../store/store.ts';

/** Exit codes of the `toolcrib` command: 1 for what failed or was refused, 2 for wrong usage. */
export const EXIT = { failed: 1, usage: 2 } as const;

/** A failure that a person can act on; `main.ts` prints its message in one line. */
export class CliError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number = EXIT.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The settings, their warnings on stderr. */
export function readConfig(): Config {
  const { config, warnings } = loadConfig();
  for (const warning of warnings) say(`Warning: ${warning}`);
  return config;
}

/**
 * Opens the store of the settings for one command, and closes it afterwards. When there is none, it
 * is refused (a command in the wrong folder must not leave an empty one), created, or pretended to
 * be there and empty.
 * @throws CliError when there is none and it is refused.
 */
export async function withStore<Result>(
  work: (store: Store) => Promise<Result>,
  ifMissing: 'refuse' | 'create' | 'pretend' = 'refuse',
): Promise<Result> {
  const { databaseUrl } = readConfig();
  const isMissing = !existsSync(databaseFile(databaseUrl));
  if (isMissing && ifMissing === 'refuse') throw noStore(databaseUrl);
  const scratch =
    isMissing && ifMissing === 'pretend' ? mkdtempSync(join(tmpdir(), 'toolcrib-')) : undefined;
  const store = openStore(scratch === undefined ? databaseUrl : `file:${scratch}/empty.db`);
  try {
    return await work(store);
  } finally {
    store.close();
    if (scratch !== undefined) rmSync(scratch, { recursive: true, force: true });
  }
}

/** The database file of the settings. @throws CliError when there is none. */
export function existingDatabase(): string {
  const { databaseUrl } = readConfig();
  const file = databaseFile(databaseUrl);
  if (!existsSync(file)) throw noStore(databaseUrl);
  return file;
}

function noStore(databaseUrl: string): CliError {
  const file = resolve(databaseFile(databaseUrl));
  return new CliError(
    `There is no store at ${file}; ${SETTINGS.databaseUrl.name} says where it is`,
  );
}

/** `1 tool`, `2 tools`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}

/** A line for the person at the terminal: stderr, so that stdout is only data. */
export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
