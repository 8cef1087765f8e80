import type { Command } from 'commander';
import { reindexStore } from '../catalogue/reindex.ts';
import { CliError, say } from './context.ts';
import { withExistingStore } from './existing-store.ts';

/** `toolcrib reindex` */
export function addReindex(program: Command): void {
  program
    .command('reindex')
    .description('build anew all that is derived: indexes, and what lists and search look at')
    .action(async () => {
      const { indexes, tools, refused } = await withExistingStore(reindexStore);
      say(`${indexes} indexes rebuilt, ${tools} tools mended`);
      if (refused.length === 0) return;
      for (const name of refused) process.stdout.write(`${name}\n`);
      throw new CliError(`${refused.length} tools could not be mended`);
    });
}
