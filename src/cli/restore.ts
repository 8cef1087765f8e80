import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { type Contents, contents, loadBackup } from '../store/restore.ts';
import { databaseFile, openStore } from '../store/store.ts';
import { confirm } from './confirm.ts';
import { counted, readConfig, say } from './context.ts';
import { untilInterrupted } from './interrupt.ts';
import { createProgress } from './progress.ts';

/** `toolcrib restore` */
export function addRestore(program: Command): void {
  program
    .command('restore')
    .description('replace all that the store holds by a backup; a running server goes on with it')
    .argument('<file>', 'what `toolcrib backup` made')
    .option('--yes', 'do not ask')
    .action(async (file: string, { yes = false }: { yes?: boolean }) => {
      const { databaseUrl } = readConfig();
      const database = databaseFile(databaseUrl);
      const before = existsSync(database) ? contentsOf(databaseUrl) : undefined;
      const backup = loadBackup(file, database);
      try {
        const old = before ? `Replace ${shown(before)} in ${database}` : `Fill the new ${database}`;
        await confirm(`${old} with ${shown(backup)} of ${file}?`, yes);
        await replace(databaseUrl, backup.replace, file);
        say(`${database}: ${shown(backup)} restored`);
      } finally {
        backup.close();
      }
    });
}

async function replace(
  databaseUrl: string,
  replaceWith: ReturnType<typeof loadBackup>['replace'],
  file: string,
): Promise<void> {
  const store = openStore(databaseUrl);
  const progress = createProgress(1);
  try {
    await untilInterrupted((signal) =>
      replaceWith(store, { signal, onProgress: (done) => progress.update(done, file) }),
    );
  } finally {
    progress.clear();
    store.close();
  }
}

function contentsOf(databaseUrl: string): Contents {
  const store = openStore(databaseUrl);
  try {
    return contents(store.db);
  } finally {
    store.close();
  }
}

function shown({ tools, users }: Contents): string {
  return `${counted(tools, 'tool')} and ${counted(users, 'user')}`;
}
