import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { AUTHORIZATION } from '../requests.ts';

const agent = new Agent({ keepAlive: true, maxSockets: 2_000 });
const VERSION = '2026-07-28';

/** One message of the revision without a handshake, and its answer as it streams in. */
export function post(origin: string, method: string, params: Record<string, unknown> = {}) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': VERSION,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } });
  return send(`${origin}/mcp`, body, {
    'mcp-protocol-version': VERSION,
    'mcp-method': method,
    ...(typeof params['name'] === 'string' && { 'mcp-name': params['name'] }),
  });
}

/** A request with our credentials: POST with a body, else GET. */
export function send(
  url: string,
  body?: string,
  headers: Record<string, string> = {},
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const asked = request(url, {
    agent,
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      authorization: AUTHORIZATION,
      accept: 'application/json, text/event-stream',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
  });
  asked.on('response', resolve).on('error', reject).end(body);
  return promise;
}

/** The result of a call. @throws Error for anything else. */
export async function resultOf(answer: Promise<IncomingMessage>): Promise<Record<string, unknown>> {
  const body = await text(await answer);
  const { result } = JSON.parse(body);
  if (result === undefined || result.isError) throw new Error(body.slice(0, 300));
  return result;
}

/** Milliseconds of `count` runs, one after the other, in ascending order; the first tenth is not counted. */
export async function times(
  count: number,
  run: (at: number) => Promise<unknown>,
): Promise<number[]> {
  const taken: number[] = [];
  for (let at = 0; at < count; at += 1) {
    const started = performance.now();
    await run(at);
    if (at >= count / 10) taken.push(performance.now() - started);
  }
  return taken.sort((a, b) => a - b);
}

export function quantile(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN;
}
