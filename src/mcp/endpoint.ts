import { hostHeaderValidation } from '@modelcontextprotocol/fastify';
import { type NodeIncomingMessageLike, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, localhostAllowedHostnames } from '@modelcontextprotocol/server';
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import { storeSeenBy } from '../auth/seen-store.ts';
import type { Config } from '../config.ts';
import { validationError } from '../errors.ts';
import { callerOf } from '../http/authentication.ts';
import { asksForStream, wantsStream, withoutStream, withPlainRequests } from './bare.ts';
import { createToolbox } from './built-in-tools.ts';
import { createChangeBus } from './changes.ts';
import { LEAN, type McpParts } from './routes.ts';
import { authorizeMessage } from './scopes.ts';
import { createMcpServer, type McpCall } from './server.ts';

/** Messages of one request, which only the revision 2025-03-26 sends together. */
const MAX_BATCH = 50;
const LOOPBACK = ['localhost', '::1'];

export type McpEndpoint = ReturnType<typeof createMcpEndpoint>;

/**
 * What answers requests of MCP: the SDK speaks the protocol; here is who may ask, and what is
 * refused before it sees a message.
 */
export function createMcpEndpoint(
  log: FastifyBaseLogger,
  { config, store, embedder, moreTools }: McpParts,
) {
  const toolbox = createToolbox(moreTools);
  const bus = createChangeBus(store);
  const handler = createMcpHandler(
    ({ authInfo }) => createMcpServer(authInfo?.extra?.['call'] as McpCall),
    { legacy: 'stateless', bus, onerror: (error) => log.debug({ err: error }, 'mcp') },
  );
  const answer = toNodeHandler(withPlainRequests(handler), {
    onerror: (error) => log.error({ err: error }, 'mcp'),
  });
  const hosts = allowedHosts(config);

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

  return {
    /** Refuses hosts that are not ours, against rebinding of names; absent when all are. */
    guardHost: hosts && hostHeaderValidation(hosts),
    handle,
    /** Ends the open streams. */
    async close(): Promise<void> {
      bus.close();
      await handler.close();
    },
  };
}

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
