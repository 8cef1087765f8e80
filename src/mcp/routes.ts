import type { FastifyPluginAsync } from 'fastify';
import { AGENT_BASE, BASE } from '../base.ts';
import type { Config } from '../config.ts';
import type { Embedder } from '../embeddings/embedder.ts';
import type { Store } from '../store/store.ts';
import type { BuiltInTool } from './built-in.ts';
import type { McpEndpoint } from './endpoint.ts';

export const LEAN = '/mcp/lean';
const PATHS = [BASE, AGENT_BASE, '/mcp', LEAN];

export interface McpParts {
  config: Config;
  store: Store;
  embedder?: Embedder | undefined;
  /** Built-in tools beside the product's own. */
  moreTools?: readonly BuiltInTool[] | undefined;
}

/**
 * The MCP endpoint: Streamable HTTP without sessions, for the revision 2026-07-28 and those with a
 * handshake, all on one URL. It is loaded with its SDK at the first request: that takes most of a
 * second and 60 MB, which a server that only answers REST keeps.
 */
export const mcpRoutes: FastifyPluginAsync<McpParts> = async (app, parts) => {
  let loaded: Promise<McpEndpoint> | undefined;
  const endpoint = () => {
    loaded ??= import('./endpoint.ts').then(({ createMcpEndpoint }) =>
      createMcpEndpoint(app.log, parts),
    );
    return loaded;
  };

  // Streams would hold up the closing until they are cut.
  app.addHook('preClose', async () => (await loaded)?.close());

  app.addHook('onRequest', async (request, reply) => {
    const { guardHost } = await endpoint();
    await guardHost?.(request, reply);
  });

  for (const url of PATHS) {
    app.route({
      method: 'POST',
      url,
      config: {
        access: 'authenticated',
        errorShape: 'json-rpc',
        origins: parts.config.mcpOrigins,
      },
      schema: { hide: true },
      handler: async (request, reply) => (await endpoint()).handle(request, reply),
    });
  }
};
