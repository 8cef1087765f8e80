import type { FastifyInstance } from 'fastify';

const ASKED = 'authorization, content-type, mcp-protocol-version, mcp-method, mcp-name';
const MAX_AGE_SECONDS = '600';

/**
 * CORS for routes that name foreign origins: their pages may ask, with credentials that the page
 * itself sends. A preflight is answered before anyone is asked for credentials, as it has none.
 */
export function addCors(app: FastifyInstance): void {
  app.addHook('onRequest', async (request, reply) => {
    const { origin } = request.headers;
    const { origins } = request.routeOptions.config;
    if (origins === undefined || origins.length === 0) return;
    reply.header('vary', 'Origin');
    if (origin === undefined || !origins.includes(origin)) return;
    reply.header('access-control-allow-origin', origin);
    reply.header('access-control-expose-headers', 'www-authenticate, x-request-id');
    if (request.method !== 'OPTIONS' || !request.headers['access-control-request-method']) return;
    return reply
      .code(204)
      .header('access-control-allow-methods', 'POST')
      .header('access-control-allow-headers', ASKED)
      .header('access-control-max-age', MAX_AGE_SECONDS)
      .send();
  });
}
