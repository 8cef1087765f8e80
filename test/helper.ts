import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import pino from 'pino';
import { buildApp } from '../src/app.ts';
import { createAuthenticator } from '../src/auth/authenticator.ts';
import { SCOPE_NAMES, type Scope } from '../src/auth/authorize.ts';
import { createUser } from '../src/auth/users.ts';
import { type Config, loadConfig } from '../src/config.ts';
import type { Embedder } from '../src/embeddings/embedder.ts';
import type { BuiltInTool } from '../src/mcp/built-in.ts';
import { openStore, type Store } from '../src/store/store.ts';

export const BASE = '/_plugins/_ml/mcp';

/** A folder that is removed after the test. */
export function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'toolcrib-test-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export interface TestApp {
  app: FastifyInstance;
  store: Store;
  config: Config;
  embedder: Embedder | undefined;
  /** The Basic header of a user with every scope. */
  authorization: string;
  /** A request as that user, unless it brings its own authorization. */
  inject: (options: InjectOptions) => Promise<LightMyRequestResponse>;
  /** GET below the base path, as that user. */
  get: (path: string) => Promise<LightMyRequestResponse>;
  /** A request with a JSON body below the base path, as that user. */
  send: (
    method: 'POST' | 'PUT' | 'DELETE',
    path: string,
    body?: unknown,
  ) => Promise<LightMyRequestResponse>;
  /** Makes a user and gives its Basic header. */
  addUser: (name: string, scopes: readonly Scope[]) => Promise<string>;
}

/** The real application on a file of its own. */
export async function startApp(
  t: TestContext,
  environment: Record<string, string> = {},
  makeEmbedder: (parts: { config: Config; store: Store }) => Embedder | undefined = () => undefined,
  moreTools: readonly BuiltInTool[] = [],
): Promise<TestApp> {
  const folder = temporaryFolder(t);
  const { config } = loadConfig(
    {
      TOOLCRIB_DATABASE_URL: `file:${folder}/toolcrib.db`,
      TOOLCRIB_LOG_LEVEL: 'silent',
      ...environment,
    },
    folder,
  );
  const store = openStore(config.databaseUrl);
  const authenticator = createAuthenticator({ findUser: (name) => store.users.get(name) });
  const embedder = makeEmbedder({ config, store });
  const app = await buildApp({
    embedder,
    moreTools,
    config,
    store,
    authenticator,
    logger: pino({ level: config.logLevel }),
  });
  app.addHook('onClose', async () => store.close());
  t.after(() => app.close());

  async function addUser(name: string, scopes: readonly Scope[]): Promise<string> {
    const password = `password of ${name}`;
    await createUser(store, { name, password, scopes });
    return basic(name, password);
  }

  const authorization = await addUser('username', SCOPE_NAMES);
  const inject = (options: InjectOptions) =>
    app.inject({ ...options, headers: { authorization, ...options.headers } });
  return {
    app,
    store,
    config,
    embedder,
    authorization,
    addUser,
    inject,
    get: (path) => inject({ method: 'GET', url: `${BASE}${path}` }),
    send: (method, path, body) =>
      inject({
        method,
        url: `${BASE}${path}`,
        ...(body === undefined
          ? {}
          : { payload: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      }),
  };
}

export function basic(name: string, password: string): string {
  return `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;
}
