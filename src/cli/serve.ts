import type { Command } from 'commander';
import { startServer } from '../server.ts';
import { readConfig, say } from './context.ts';

/** `toolcrib serve` */
export function addServe(program: Command): void {
  program
    .command('serve')
    .description('run the server until SIGTERM or SIGINT')
    .action(async () => {
      await startServer(readConfig(), say);
    });
}
