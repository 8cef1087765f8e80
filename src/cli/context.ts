import { type Config, loadConfig } from '../config.ts';
import { openStore, type Store } from '../store/store.ts';

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

/** Opens the store of the settings for one command, and closes it afterwards. */
export async function withStore<Result>(work: (store: Store) => Promise<Result>): Promise<Result> {
  const store = openStore(readConfig().databaseUrl);
  try {
    return await work(store);
  } finally {
    store.close();
  }
}

/** A line for the person at the terminal: stderr, so that stdout is only data. */
export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
