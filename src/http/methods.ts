import { METHODS } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { AppError } from '../errors.ts';
import { answerParserError } from './parser-errors.ts';

/** What a path that exists answers to every other method: 405 with `Allow`. */
export function addMethodNotAllowed(app: FastifyInstance): () => void {
  const paths = new Map<string, { methods: Set<string>; route: RouteOptions }>();
  // WebDAV's and others too: Node reads them, so they are asked for.
  const missing = METHODS.filter((name) => !app.supportedMethods.includes(name));
  for (const name of missing) if (name !== 'CONNECT') app.addHttpMethod(name);
  // CONNECT asks for a host, not for a path, and Node would close the connection without a word.
  app.server.on('connect', (_request, socket: Socket) => answerParserError({}, socket));

  app.addHook('onRoute', (route) => {
    const { url, method } = route;
    const known = paths.get(url) ?? { methods: new Set(), route };
    for (const name of [method].flat()) known.methods.add(name);
    paths.set(url, known);
  });

  return () => {
    for (const [url, { methods, route }] of [...paths]) {
      // Not read before: hooks of a route's own scope add to it.
      const { config = {} } = route;
      const others = app.supportedMethods.filter((method) => !methods.has(method));
      // A path that stands for all others would make every unknown path a known one.
      if (others.length === 0 || url === '*' || url === '/*') continue;
      const refuse = refuseMethod([...methods].sort().join(', '));
      app.route({
        method: others,
        url,
        // Whoever may not read here learns nothing about methods either.
        config: {
          ...config,
          ...('access' in config && config.access !== 'open' ? { access: 'authenticated' } : {}),
        },
        schema: { hide: true },
        // Before the query and the body are looked at: no repair of those would help.
        onRequest: refuse,
        handler: refuse,
      });
    }
  };
}

function refuseMethod(allow: string) {
  return async ({ url, method }: FastifyRequest, reply: FastifyReply): Promise<never> => {
    reply.header('allow', allow);
    throw new AppError(
      'MethodNotAllowedError',
      `Incorrect HTTP method for uri [${url.split('?')[0]}] and method [${method}], allowed: [${allow}]`,
      { method, allowed: allow.split(', ') },
    );
  };
}
