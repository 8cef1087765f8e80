import type { Command } from 'commander';
import { checkStore } from '../catalogue/check.ts';
import { CliError, counted, withStore } from './context.ts';

/** `toolcrib check` */
export function addCheck(program: Command): void {
  program
    .command('check')
    .description('compare the store with itself: file, references, and all that is derived')
    .action(async () => {
      const { tools, memories, faults, count } = await withStore(checkStore);
      if (count === 0) {
        process.stdout.write(
          `ok: ${counted(tools, 'tool')}, ${counted(memories, 'memory', 'memories')}\n`,
        );
        return;
      }
      for (const fault of faults) process.stdout.write(`${fault}\n`);
      if (count > faults.length) process.stdout.write(`and ${count - faults.length} more\n`);
      throw new CliError(`${counted(count, 'fault')}; \`toolcrib reindex\` mends what is derived`);
    });
}
