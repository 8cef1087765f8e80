import { existsSync } from 'node:fs';
import { databaseFile, openStore, type Store } from '../store/store.ts';
import { CliError, readConfig } from './context.ts';

/** The database file of the settings. @throws CliError when there is none. */
export function existingDatabase(): string {
  const file = databaseFile(readConfig().databaseUrl);
  if (!existsSync(file)) throw new CliError(`There is no database ${file}`);
  return file;
}

/** Like `withStore`, for commands that make no sense on a new store. */
export async function withExistingStore<Result>(
  work: (store: Store) => Promise<Result>,
): Promise<Result> {
  const store = openStore(`file:${existingDatabase()}`);
  try {
    return await work(store);
  } finally {
    store.close();
  }
}
