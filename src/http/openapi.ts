import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { SCOPES } from '../auth/authorize.ts';
import type { Config } from '../config.ts';
import { VERSION } from '../version.ts';

/** The OpenAPI document at /openapi.json and its reader at /docs. */
export async function addOpenApi(app: FastifyInstance, config: Config): Promise<void> {
  const access = config.openDocs ? ('open' as const) : ('authenticated' as const);
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Toolcrib',
        version: VERSION,
        description:
          'A catalogue of MCP tools with their usage statistics. Every path answers below `/_plugins/_agent/mcp` too. `pretty` (honoured), `human` and `error_trace` (ignored) are known on every operation.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/', description: 'This server' }],
      tags: [
        { name: 'Tools', description: "Lucenia's MCP tools API" },
        { name: 'ml-commons', description: "The same catalogue in ml-commons' shape" },
        { name: 'Users', description: `Users and scopes: ${Object.keys(SCOPES).join(', ')}` },
        { name: 'Health', description: 'Probes' },
      ],
      components: { securitySchemes: { basic: { type: 'http', scheme: 'basic' } } },
      security: [{ basic: [] }],
    },
    refResolver: {
      buildLocalReference: (json, _uri, _fragment, i) => String(json['$id'] ?? `def-${i}`),
    },
  });
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    uiConfig: { url: '../openapi.json', deepLinking: true },
  });
  app.get('/openapi.json', { config: { access }, schema: { hide: true } }, async () =>
    app.swagger(),
  );
}
