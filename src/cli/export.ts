import { once } from 'node:events';
import type { Command } from 'commander';
import { exportTools } from '../catalogue/export.ts';
import { withStore } from './context.ts';

/** `toolcrib export` */
export function addExport(program: Command): void {
  program
    .command('export')
    .description('write every tool as a line of JSON to stdout; import makes an equal store of it')
    .action(async () => {
      await withStore(async (store) => {
        for await (const line of exportTools(store)) {
          if (!process.stdout.write(`${line}\n`)) await once(process.stdout, 'drain');
        }
      });
    });
}
