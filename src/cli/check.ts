import type { Command } from 'commander';
import { checkStore } from '../catalogue/check.ts';
import { CliError } from './context.ts';
import { withExistingStore } from './existing-store.ts';

/** `toolcrib check` */
export function addCheck(program: Command): void {
  program
    .command('check')
    .description('compare the store with itself: file, references, and all that is derived')
    .action(async () => {
      const { tools, faults, count } = await withExistingStore(checkStore);
      if (count === 0) {
        process.stdout.write(`ok: ${tools} tools\n`);
        return;
      }
      for (const fault of faults) process.stdout.write(`${fault}\n`);
      if (count > faults.length) process.stdout.write(`and ${count - faults.length} more\n`);
      throw new CliError(`${count} faults; \`toolcrib reindex\` mends what is derived`);
    });
}
