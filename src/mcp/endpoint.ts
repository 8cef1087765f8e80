import { hostHeaderValidation } from '@modelcontextprotocol/fastify';
import { type NodeIncomingMessageLike, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, localhostAllowedHostnames } from '@modelcontextprotocol/server';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { storeSeenBy } from '../auth/seen-store.ts';
import { AGENT_BASE, BASE } from '../base.ts';
import type { Config } from '../config.ts';
import type { Embedder } from '../embeddings/embedder.ts';
import { validationError } from '../errors.ts';
import { callerOf } from '../http/authentication.ts';
import type { Store } from '../store/store.ts';
import { asksForStream, wantsStream, withoutStream, withPlainRequests } from './bare.ts';
import type { BuiltInTool } from './built-in.ts';
import { createToolbox } from './built-in-tools.ts';
import { createChangeBus } from './changes.ts';
import { authorizeMessage } from './scopes.ts';
import { createMcpServer, type McpCall } from './server.ts';

const LEAN = '/mcp/lean';
const PATHS = [BASE, AGENT_BASE, '/mcp', LEAN];
/** Messages of one request, which only the revision 2025-03-26 sends together. */
const MAX_BATCH = 50;
const LOOPBACK = ['localhost', '::1'];

export interface McpParts {
  config: Config;
  store: Store;
  embedder?: Embedder | undefined;
  /** Built-in tools beside the product's own. */
  moreTools?: readonly BuiltInTool[] | undefined;
}

/**
 * The MCP endpoint: Streamable HTTP without sessions, for the revision 2026-07-28 and those with a
 * handshake, all on one URL. The SDK speaks the protocol; here is who may ask, and what is refused
 * before it sees a message.
 */
export const mcpEndpoint: FastifyPluginAsync<McpParts> = async (
  app,
  { config, store, embedder, moreTools },
) => {
  const toolbox = createToolbox(moreTools);
  const bus = createChangeBus(store);
  const handler = createMcpHandler(
    ({ authInfo }) => createMcpServer(authInfo?.extra?.['call'] as McpCall),
    { legacy: 'stateless', bus, onerror: (error) => app.log.debug({ err: error }, 'mcp') },
  );
  const answer = toNodeHandler(withPlainRequests(handler), {
    onerror: (error) => app.log.error({ err: error }, 'mcp'),
  });
  // Streams would hold up the closing until they are cut.
  app.addHook('preClose', async () => {
    bus.close();
    await handler.close();
  });

  const hosts = allowedHosts(config);
  if (hosts !== undefined) app.addHook('onRequest', hostHeaderValidation(hosts));

  async function handle(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const caller = callerOf(request);
    const { body } = request;
    const messages = messagesOf(body);
    for (const message of messages) authorizeMessage(toolbox, caller, message);
    if (messages.some(asksForStream) && !wantsStream(request.headers.accept)) throw withoutStream();
    const call: McpCall = {
      caller,
      store,
      seen: storeSeenBy(store, caller),
      config,
      embedder,
      toolbox,
      shown: request.routeOptions.url === LEAN ? 'lean' : config.mcpTools,
      onFault: (error) => request.log.error({ err: error }, 'mcp'),
    };
    const auth = { token: '', clientId: caller.id, scopes: [...caller.scopes], extra: { call } };
    reply.hijack();
    for (const [name, value] of Object.entries(reply.getHeaders())) {
      if (value !== undefined) reply.raw.setHeader(name, value);
    }
    await answer(Object.assign(request.raw, { auth }) as NodeIncomingMessageLike, reply.raw, body);
  }

  for (const url of PATHS) {
    app.route({
      method: 'POST',
      url,
      config: { access: 'authenticated', errorShape: 'json-rpc', origins: config.mcpOrigins },
      schema: { hide: true },
      handler: handle,
    });
  }
};

/** @throws AppError ValidationError for what is no message and no small batch of them. */
function messagesOf(body: unknown): unknown[] {
  const messages = Array.isArray(body) ? body : [body];
  const isMessage = messages.every((one) => typeof one === 'object' && one !== null);
  if (isMessage && messages.length > 0 && messages.length <= MAX_BATCH) return messages;
  const reason =
    body === undefined || body === null
      ? 'The body must be a JSON-RPC message'
      : `The body must be a JSON-RPC message, or 1 to ${MAX_BATCH} of them`;
  throw validationError('Invalid request', [{ field: 'body', reason }]);
}

/** Undefined for all: a server that others reach is reached by names that it does not know. */
function allowedHosts({ host, mcpHosts }: Config): string[] | undefined {
  if (mcpHosts.length > 0) return [...localhostAllowedHostnames(), ...mcpHosts];
  const isLocal = LOOPBACK.includes(host) || host.startsWith('127.');
  return isLocal ? localhostAllowedHostnames() : undefined;
}
