import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { TestContext } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { startApp, type TestApp } from '../helper.ts';

export interface DeclaredRoute {
  method: string;
  url: string;
  access: string | undefined;
}

/** Routes for every other method of a path have this many methods at least; ours have one or two. */
const MANY = 10;

/** The application with every route that it declares, those left out that only answer 405. */
export async function startAppWithRoutes(
  t: TestContext,
  environment?: Record<string, string>,
): Promise<TestApp & { routes: DeclaredRoute[] }> {
  const routes: DeclaredRoute[] = [];
  // Fastify announces an instance before anything is added to it.
  const watch = (message: unknown) => {
    const { fastify } = message as { fastify: FastifyInstance };
    fastify.addHook('onRoute', ({ method, url, config }) => {
      const methods = [method].flat();
      if (methods.length > MANY) return;
      for (const name of methods) routes.push({ method: name, url, access: config?.access });
    });
  };
  subscribe('fastify.initialization', watch);
  try {
    return { ...(await startApp(t, environment)), routes };
  } finally {
    unsubscribe('fastify.initialization', watch);
  }
}
