import type { FastifyInstance } from 'fastify';

const EVERY_MS = 50;

/**
 * Closing waits for running requests, and Node closes the connections that are idle at that moment.
 * One that turns idle later would keep the process alive until its keep-alive limit.
 */
export function addQuickClose(app: FastifyInstance): void {
  let timer: NodeJS.Timeout | undefined;
  app.addHook('preClose', async () => {
    timer = setInterval(() => app.server.closeIdleConnections(), EVERY_MS);
  });
  app.addHook('onClose', async () => clearInterval(timer));
}
