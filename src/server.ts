import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { buildApp } from './app.ts';
import { createAuthenticator } from './auth/authenticator.ts';
import { ensureAdmin } from './auth/first-admin.ts';
import type { Config } from './config.ts';
import { createEmbedder, endpointOf } from './embeddings/embedder.ts';
import { createLogger } from './logger.ts';
import { openStore } from './store/store.ts';
import { startRetention } from './usage/retention.ts';

/** Running requests have this long to end when the process is told to stop. */
const GRACE_MS = 4_000;
/** How often new and changed tools are looked for that want a vector. */
const EMBED_EVERY_MS = 1_000;

/**
 * Opens the store, listens, makes the first admin, and stops cleanly on SIGTERM and SIGINT.
 * `announce` gets each line that a person should read.
 * @throws Error in plain words when the store or the port cannot be had.
 */
export async function startServer(
  config: Config,
  announce: (line: string) => void,
): Promise<FastifyInstance> {
  const store = openStore(config.databaseUrl);
  const adminMade = Promise.withResolvers<void>();
  const authenticator = createAuthenticator({
    async findUser(name) {
      await adminMade.promise;
      return store.users.get(name);
    },
  });
  const logger = createLogger(config.logLevel);
  const endpoint = endpointOf(config);
  const embedder =
    endpoint && createEmbedder(endpoint, store, (fault) => logger.warn({ fault }, 'embeddings'));
  let app: FastifyInstance | undefined;
  let stopRetention = async () => {};
  try {
    app = await buildApp({ config, store, authenticator, logger, embedder });
    app.addHook('preClose', async () => stopRetention());
    app.addHook('onClose', async () => {
      embedder?.stop();
      store.close();
    });
    // As process 1 of a container it would not even be ended by a signal that nobody handles.
    stopOnSignals(app, adminMade.promise);
    // The admin comes after the port: its password is shown once, and not by a start that fails.
    // Whoever sends credentials meanwhile waits.
    await app.listen({ host: config.host, port: config.port });
    const lines = await ensureAdmin(store, authenticator, config).finally(adminMade.resolve);
    for (const line of lines) announce(line);
    embedder?.start(EMBED_EVERY_MS);
  } catch (error) {
    if (app === undefined) store.close();
    else await app.close();
    throw listenError(error, config);
  }
  const { log } = app;
  stopRetention = startRetention(store, (err) => log.warn({ err }, 'retention failed'));
  const { port } = app.server.address() as AddressInfo;
  const host = config.host === '127.0.0.1' ? 'localhost' : config.host;
  announce(`Toolcrib listens on http://${host.includes(':') ? `[${host}]` : host}:${port}`);
  return app;
}

function listenError(error: unknown, { host, port }: Config): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return new Error(`${host}:${port} is in use; set TOOLCRIB_PORT`);
  if (code === 'EACCES') return new Error(`No permission to listen on ${host}:${port}`);
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new Error(`${host} is not an address of this machine; set TOOLCRIB_HOST`);
  }
  return error;
}

/** Stops `app` once it has `started`, so that nothing is closed that the start still needs. */
function stopOnSignals(app: FastifyInstance, started: Promise<void>): void {
  let stopping = false;
  const stop = async (signal: string) => {
    if (stopping) return;
    stopping = true;
    app.log.info({ signal }, 'stopping');
    await started;
    const cut = setTimeout(() => app.server.closeAllConnections(), GRACE_MS);
    await app.close();
    clearTimeout(cut);
    app.log.info('stopped');
    process.exitCode = 0;
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}
