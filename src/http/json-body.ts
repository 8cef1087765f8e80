import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError, validationError } from '../errors.ts';
import { plainJsonFault, textFault } from '../plain-json.ts';

const INVALID = 'Invalid request body';

/** JSON bodies, strictly: UTF-8 only, and nothing in them that a store would change. */
export function addJsonBody(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  // Node would answer 417 by itself, outside of the envelope. RFC 9110, 10.1.1: an expectation of
  // a body's sender that nobody here knows may be passed over.
  app.server.on('checkExpectation', (request, response) => {
    app.server.emit('request', request, response);
  });
  app.addContentTypeParser<Buffer>(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      assertUtf8Label(request.headers['content-type']);
      // A DELETE with a content type and nothing else has no body.
      return body.length === 0 ? undefined : parseJson(body);
    },
  );
}

/** @throws AppError UnsupportedMediaTypeError when another charset than UTF-8 is named. */
export function assertUtf8Label(contentType = ''): void {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType)?.[1];
  if (charset === undefined || /^utf-?8$/i.test(charset)) return;
  throw new AppError('UnsupportedMediaTypeError', 'Bodies are UTF-8', {
    field: 'Content-Type',
    reason: 'The charset must be utf-8 or left out',
  });
}

/** @throws AppError ValidationError with the field, when the bytes are no JSON that is taken here. */
export function parseJson(bytes: Buffer): unknown {
  const text = utf8Text(bytes);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    // Only the position is told: V8's text quotes the body.
    const position = /position (\d+)/.exec(String(error))?.[1];
    throw refused(
      '',
      position ? `The body is not JSON: see position ${position}` : 'The body is not JSON',
    );
  }
  const fault = plainJsonFault(value);
  if (fault !== undefined) throw refused(fault.field, fault.reason);
  return value;
}

/** @throws AppError ValidationError when the bytes are no text that is taken here. */
export function parseText(bytes: Buffer): string {
  const text = utf8Text(bytes);
  const fault = textFault(text);
  if (fault !== undefined) throw refused('', fault);
  return text;
}

function utf8Text(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw refused('', 'The body must be UTF-8');
  return bytes.toString('utf8').replace(/^\uFEFF/, '');
}

function refused(field: string, reason: string): AppError {
  return validationError(INVALID, [{ field: field === '' ? 'body' : field, reason }]);
}
