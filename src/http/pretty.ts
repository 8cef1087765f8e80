import type { FastifyInstance } from 'fastify';
import { parseQueryText } from './query-text.ts';

/** OpenSearch's `?pretty` (or `?pretty=true`): the same JSON, indented. */
export function addPretty(app: FastifyInstance): void {
  // With a callback, since this runs for every answer.
  app.addHook('onSend', (request, reply, payload, done) => {
    if (!request.url.includes('pretty') || typeof payload !== 'string') return done(null, payload);
    const { values } = parseQueryText(request.url.split('?')[1] ?? '');
    const wanted = values.get('pretty')?.some((value) => value === '' || value === 'true');
    const isJson = String(reply.getHeader('content-type')).startsWith('application/json');
    if (!wanted || !isJson) return done(null, payload);
    const text = `${JSON.stringify(JSON.parse(payload), null, 2)}\n`;
    reply.header('content-length', Buffer.byteLength(text));
    done(null, text);
  });
}
