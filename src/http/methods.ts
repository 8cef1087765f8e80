import type { FastifyInstance } from 'fastify';
import { AppError } from '../errors.ts';

/** What a path that exists answers to every other method: 405 with `Allow`. */
export function addMethodNotAllowed(app: FastifyInstance): () => void {
  const paths = new Map<string, { methods: Set<string>; config: object }>();

  app.addHook('onRoute', ({ url, method, config }) => {
    const known = paths.get(url) ?? { methods: new Set(), config: config ?? {} };
    for (const name of [method].flat()) known.methods.add(name);
    paths.set(url, known);
  });

  return () => {
    for (const [url, { methods, config }] of [...paths]) {
      const others = app.supportedMethods.filter((method) => !methods.has(method));
      const allow = [...methods].sort().join(', ');
      if (others.length === 0 || url.includes('*')) continue;
      app.route({
        method: others,
        url,
        // Whoever may not read here learns nothing about methods either.
        config: {
          ...config,
          ...('access' in config && config.access !== 'open' ? { access: 'authenticated' } : {}),
        },
        schema: { hide: true },
        handler: (request, reply) => {
          reply.header('allow', allow);
          throw new AppError(
            'MethodNotAllowedError',
            `Incorrect HTTP method for uri [${request.url.split('?')[0]}] and method [${request.method}], allowed: [${allow}]`,
            { method: request.method, allowed: allow.split(', ') },
          );
        },
      });
    }
  };
}
