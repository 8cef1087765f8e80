import type { Command } from 'commander';
import { backUp } from '../store/backup.ts';
import { existingDatabase, say } from './context.ts';
import { untilInterrupted } from './interrupt.ts';
import { createProgress } from './progress.ts';

/** `toolcrib backup` */
export function addBackup(program: Command): void {
  program
    .command('backup')
    .description('write the whole store to one file, also while a server is running')
    .argument('<file>', 'the backup to make')
    .option('--force', 'replace the file if it exists')
    .action(async (file: string, { force = false }: { force?: boolean }) => {
      const database = existingDatabase();
      const progress = createProgress(1);
      const bytes = await untilInterrupted((signal) =>
        backUp(database, file, {
          signal,
          overwrite: force,
          onProgress: (done) => progress.update(done, file),
        }),
      ).finally(progress.clear);
      say(`${file}: ${(bytes / 1e6).toFixed(1)} MB, checked`);
    });
}
