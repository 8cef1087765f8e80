import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { assertUtf8Label } from './json-body.ts';

export const NDJSON = 'application/x-ndjson';

/** Hands bodies of lines to the handlers of `scope` as they come in, as a stream. */
export function takeLines(scope: FastifyInstance): void {
  scope.addContentTypeParser(NDJSON, (request, payload, done) => {
    try {
      assertUtf8Label(request.headers['content-type']);
      done(null, payload);
    } catch (error) {
      done(error as Error);
    }
  });
}

/** Answers with lines of JSON as they are made. */
export function sendLines(reply: FastifyReply, lines: AsyncIterable<string>): FastifyReply {
  return reply.type(NDJSON).send(Readable.from(lines, { objectMode: false }));
}
