import type { Command } from 'commander';
import { readConfig, say } from './context.ts';

/** `toolcrib serve` */
export function addServe(program: Command): void {
  program
    .command('serve')
    .description('run the server until SIGTERM or SIGINT')
    .action(async () => {
      // Other commands start faster without Fastify.
      const { startServer } = await import('../server.ts');
      await startServer(readConfig(), say);
    });
}
