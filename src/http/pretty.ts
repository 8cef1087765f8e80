import type { FastifyInstance, FastifyRequest } from 'fastify';
import { parseQueryText } from './query-text.ts';

/** OpenSearch's `?pretty` (or `?pretty=true`): the same JSON, indented. */
export function addPretty(app: FastifyInstance): void {
  // With a callback, since this runs for every answer.
  app.addHook('onSend', (request, reply, payload, done) => {
    if (typeof payload !== 'string' || !wantsPretty(request)) return done(null, payload);
    const isJson = String(reply.getHeader('content-type')).startsWith('application/json');
    if (!isJson) return done(null, payload);
    const text = `${JSON.stringify(JSON.parse(payload), null, 2)}\n`;
    reply.header('content-length', Buffer.byteLength(text));
    done(null, text);
  });
}

/** Whether the request asks for indented JSON. */
export function wantsPretty({ url }: FastifyRequest): boolean {
  if (!url.includes('pretty')) return false;
  const { values } = parseQueryText(url.split('?')[1] ?? '');
  return values.get('pretty')?.some((value) => value === '' || value === 'true') ?? false;
}
