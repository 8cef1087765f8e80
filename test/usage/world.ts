import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import pino from 'pino';
import { buildApp } from '../../src/app.ts';
import { createAuthenticator } from '../../src/auth/authenticator.ts';
import { SCOPE_NAMES } from '../../src/auth/authorize.ts';
import { loadConfig } from '../../src/config.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { cheapHash } from '../auth/cheap-hash.ts';
import { BASE, basic } from '../helper.ts';

export const REPORTERS = ['reporter-a', 'reporter-b'] as const;
const PASSWORD = 'password of a reporter';
const PASSWORD_HASH = cheapHash(PASSWORD);

export type Served = Awaited<ReturnType<typeof serve>>;

/** A path for a store that is not there yet. */
export function newFile(folder: string): string {
  return join(folder, `${randomUUID()}.db`);
}

/** The real application on `file`, which is made with two users when it is new. */
export async function serve(file: string) {
  const environment = { TOOLCRIB_DATABASE_URL: `file:${file}`, TOOLCRIB_LOG_LEVEL: 'silent' };
  const { config } = loadConfig(environment, '/');
  const store: Store = openStore(config.databaseUrl);
  for (const name of REPORTERS) await addUser(store, name);
  const authenticator = createAuthenticator({ findUser: (name) => store.users.get(name) });
  const logger = pino({ level: config.logLevel });
  const app = await buildApp({ config, store, authenticator, logger });
  app.addHook('onClose', async () => store.close());

  function send(
    reporter: string,
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    body?: string | object,
  ) {
    const authorization = basic(reporter, PASSWORD);
    const type = typeof body === 'string' ? 'application/x-ndjson' : 'application/json';
    const url = `${BASE}${path}`;
    if (body === undefined) return app.inject({ method, url, headers: { authorization } });
    const payload = typeof body === 'string' ? body : JSON.stringify(body);
    return app.inject({ method, url, headers: { authorization, 'content-type': type }, payload });
  }

  // Signed in once, requests keep the order in which they are sent.
  for (const name of REPORTERS) await send(name, 'GET', '/tools');
  return {
    file,
    store,
    send,
    get: (path: string) => send(REPORTERS[0], 'GET', path),
    close: () => app.close(),
  };
}

async function addUser(store: Store, name: string): Promise<void> {
  if ((await store.users.get(name)) !== undefined) return;
  const times = { created_at: 0, updated_at: 0 };
  const put = { id: `usr-${name}`, name, password_hash: PASSWORD_HASH, ...times };
  await store.users.change(() => ({ put: { ...put, scopes: SCOPE_NAMES }, result: undefined }));
}
