import {
  CLIENT_CAPABILITIES_META_KEY,
  type McpHandlerRequestOptions,
  type McpHttpHandler,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/server';
import { AppError } from '../errors.ts';
import { isObject } from '../json.ts';
import { paramsFault, withDefaults } from './params.ts';

const JSON_TYPE = 'application/json';
const STREAM_TYPE = 'text/event-stream';
const LISTEN = 'subscriptions/listen';
/** Methods that only revisions without a handshake have. */
const MODERN_ONLY = new Set(['server/discover', LISTEN]);
const MODERN = '2026-07-28';

/**
 * The handler for clients of every kind: whatever a request accepts and however little it says of
 * itself, it is answered, by plain JSON where one message is the answer. The SDK's own path for
 * handshake revisions answers 406 to who does not accept a stream, and a stream to who does.
 */
export function withPlainRequests({ fetch }: Pick<McpHttpHandler, 'fetch'>) {
  return {
    async fetch(request: Request, options: McpHandlerRequestOptions = {}): Promise<Response> {
      const message = withDefaults(options.parsedBody);
      const fault = paramsFault(message);
      if (fault !== undefined) return Response.json(fault);
      const accept = request.headers.get('accept') ?? '';
      const isComplete = accept.includes(JSON_TYPE) && accept.includes(STREAM_TYPE);
      if (isComplete && request.headers.has('mcp-method')) {
        // As most requests of a revision without a handshake are: nothing to add.
        return fetch(request, options);
      }
      const headers = new Headers(request.headers);
      headers.set('accept', `${JSON_TYPE}, ${STREAM_TYPE}`);
      const parsedBody = withVersion(message, headers);
      const plain = new Request(request.url, {
        method: request.method,
        headers,
        signal: request.signal,
      });
      const response = await fetch(plain, { ...options, parsedBody });
      return asksForStream(parsedBody) ? response : unwrapped(response, Array.isArray(message));
    },
  };
}

/** Gives a bare request of a modern method what that method must carry. */
function withVersion(message: unknown, headers: Headers): unknown {
  if (!isObject(message) || !MODERN_ONLY.has(String(message['method']))) return message;
  const params = isObject(message['params']) ? message['params'] : {};
  const meta = isObject(params['_meta']) ? params['_meta'] : {};
  if (PROTOCOL_VERSION_META_KEY in meta || headers.has('mcp-protocol-version')) return message;
  headers.set('mcp-protocol-version', MODERN);
  headers.set('mcp-method', String(message['method']));
  const _meta = {
    ...meta,
    [PROTOCOL_VERSION_META_KEY]: MODERN,
    [CLIENT_CAPABILITIES_META_KEY]: {},
  };
  return { ...message, params: { ...params, _meta } };
}

/** A stream of one message as that message, one of a batch as a batch; any other answer as it is. */
async function unwrapped(response: Response, isBatch: boolean): Promise<Response> {
  if (!response.headers.get('content-type')?.startsWith(STREAM_TYPE)) return response;
  const text = await response.text();
  const messages = Array.from(text.matchAll(/^data: ?(.+)$/gm), ([, data]) => data);
  const headers = new Headers(response.headers);
  const { status } = response;
  if (messages.length !== 1 && !isBatch) return new Response(text, { status, headers });
  headers.set('content-type', JSON_TYPE);
  return new Response(isBatch ? `[${messages.join()}]` : messages[0], { status, headers });
}

export function asksForStream(message: unknown): boolean {
  return isObject(message) && message['method'] === LISTEN;
}

export function wantsStream(accept = ''): boolean {
  return accept.includes(STREAM_TYPE);
}

/** @returns the error for who asks for a stream and does not take one. */
export function withoutStream(): AppError {
  return new AppError('NotAcceptableError', `${LISTEN} answers a stream`, {
    field: 'Accept',
    reason: `Accept must name ${STREAM_TYPE}`,
  });
}
