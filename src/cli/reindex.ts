import type { Command } from 'commander';
import { reindexStore } from '../catalogue/reindex.ts';
import { CliError, counted, say, withStore } from './context.ts';

/** `toolcrib reindex` */
export function addReindex(program: Command): void {
  program
    .command('reindex')
    .description('build anew all that is derived: indexes, and what lists and search look at')
    .action(async () => {
      const { indexes, tools, owners, refused } = await withStore(reindexStore);
      say(`${counted(indexes, 'index', 'indexes')} rebuilt, ${counted(tools, 'tool')} mended`);
      if (owners > 0) say(`memories of ${counted(owners, 'owner')} mended`);
      if (refused.length === 0) return;
      for (const name of refused) process.stdout.write(`${name}\n`);
      throw new CliError(`${counted(refused.length, 'tool')} could not be mended`);
    });
}
