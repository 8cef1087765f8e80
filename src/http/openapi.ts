import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { SCOPES } from '../auth/authorize.ts';
import type { Config } from '../config.ts';
import { NoQuery, operation } from '../schemas/operation.ts';
import { VERSION } from '../version.ts';
import { type Document, finishDocument } from './openapi-document.ts';
import { describeRoute } from './openapi-route.ts';

const scopes = Object.entries(SCOPES).map(([scope, means]) => `- \`${scope}\`: ${means}`);

const OPENAPI = {
  openapi: '3.1.0',
  info: {
    title: 'Toolcrib',
    version: VERSION,
    description: `A catalogue of MCP tools with their usage statistics.

Every path below \`/_plugins/_ml/mcp\` answers below \`/_plugins/_agent/mcp\` too. HEAD follows GET; every other method is 405 with \`Allow\`.

Every operation knows OpenSearch's query parameters \`pretty\` (indents the answer), \`human\` and \`error_trace\` (ignored); an unknown parameter is refused.`,
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
  servers: [{ url: '/', description: 'This server' }],
  tags: [
    { name: 'Tools', description: "Lucenia's MCP tools API" },
    { name: 'ml-commons', description: "The same catalogue in ml-commons' shape, with its errors" },
    { name: 'Usage', description: 'Calls of the tools: recording, history and sums over time' },
    {
      name: 'Memories',
      description: "What agents remember: each principal's own, and those of spaces",
    },
    { name: 'Users', description: `Users and their scopes:\n\n${scopes.join('\n')}` },
    { name: 'Tokens', description: 'Tokens act for their owner, within scopes and limits' },
    { name: 'Audit', description: 'Who did what and when' },
    { name: 'Service', description: 'Probes, and this document' },
  ],
  components: {
    securitySchemes: {
      basic: {
        type: 'http' as const,
        scheme: 'basic',
        description: 'Name and password of a user; each operation names the scope that it needs',
      },
      bearer: {
        type: 'http' as const,
        scheme: 'bearer',
        description: 'A token of a user, such as `tcb_…`; it has the same scopes or fewer',
      },
    },
  },
};

/** The OpenAPI document at /openapi.json and its reader at /docs. */
export async function addOpenApi(app: FastifyInstance, config: Config): Promise<void> {
  const access = config.openDocs ? 'open' : 'authenticated';
  await app.register(swagger, {
    openapi: OPENAPI,
    refResolver: { buildLocalReference: (json) => String(json['$id']) },
    transform: ({ url, route }) => ({ url, schema: describeRoute(route) }),
    transformObject: (collected) =>
      'openapiObject' in collected
        ? (finishDocument(collected.openapiObject as Document) as object)
        : collected.swaggerObject,
  });
  // The reader loads ./json beside itself and its assets by relative URLs, so that it also works
  // below the base path of a gateway; there `/` would be another service.
  await app.register(async (reader) => {
    reader.addHook('onRoute', (route) => {
      route.config = { ...route.config, access };
    });
    await reader.register(swaggerUi, {
      routePrefix: '/docs',
      indexPrefix: '.',
      theme: { title: 'Toolcrib' },
      uiConfig: { deepLinking: true },
      transformSpecification: (document) => ({ ...document, servers: [{ url: '..' }] }),
      transformSpecificationClone: false,
    });
  });
  app.get(
    '/openapi.json',
    {
      config: { access },
      schema: {
        ...operation(
          {
            operationId: 'getOpenApiDocument',
            summary: 'This document',
            description: 'OpenAPI 3.1. Open, unless the setting TOOLCRIB_OPEN_DOCS is false.',
            tags: ['Service'],
          },
          { querystring: NoQuery, errors: ['AuthenticationError', 'RateLimitError'] },
          {
            200: {
              description: 'The document',
              schema: Type.Unsafe({ type: 'object', additionalProperties: true }),
              example: {
                openapi: '3.1.0',
                info: { title: 'Toolcrib', version: VERSION },
                paths: {},
              },
            },
          },
        ),
        security: [{}, { basic: [] }, { bearer: [] }],
      },
    },
    async (request) => {
      const document = app.swagger();
      const base = forwardedPrefix(request);
      return base === undefined
        ? document
        : { ...document, servers: [{ url: base, description: 'This server' }] };
    },
  );
}

/** The base path that a trusted gateway took away, without a slash at its end. */
function forwardedPrefix({ headers, ips = [] }: FastifyRequest): string | undefined {
  const prefix = headers['x-forwarded-prefix'];
  // One address is the peer's own; only a trusted peer's X-Forwarded-For adds another.
  if (ips.length < 2 || typeof prefix !== 'string') return undefined;
  return /^((?:\/[\w.~-]+)+)\/?$/.exec(prefix)?.[1];
}
