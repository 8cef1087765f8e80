import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { maskTokens } from '../auth/token-text.ts';
import { AppError } from '../errors.ts';
import { asAppError } from '../store/database.ts';
import { answerAfterBody } from './answer-after-body.ts';
import { setAnswerHeaders } from './answer-headers.ts';
import { failure, jsonRpcFailure, openSearchFailure } from './answers.ts';

/** Renders every error of the product, and hides everything about those that are not for the caller. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const known = toAppError(error);
  if (known.status >= 500) request.log.error({ err: error }, known.message);
  setAnswerHeaders(request, reply);
  reply.code(known.status).header('content-type', 'application/json; charset=utf-8');
  if (known.status === 401) {
    reply.header('www-authenticate', CHALLENGES);
  }
  if (known.retryAfter !== undefined) reply.header('retry-after', String(known.retryAfter));
  const { errorShape } = request.routeOptions.config;
  const { scope } = known.details;
  // What MCP's clients take the missing scope from (RFC 6750, 3.1).
  if (errorShape === 'json-rpc' && typeof scope === 'string') {
    reply.header('www-authenticate', `${BEARER}, error="insufficient_scope", scope="${scope}"`);
  }
  const body = RENDERERS[errorShape ?? 'envelope'](known);
  // A path may hold what was pasted at the wrong place.
  const send = () => void reply.send(maskTokens(JSON.stringify(body)));
  if (known.status === 413) answerAfterBody(request, reply, send);
  else send();
}

const RENDERERS = {
  envelope: failure,
  opensearch: openSearchFailure,
  'json-rpc': jsonRpcFailure,
};

const BEARER = 'Bearer realm="toolcrib"';
/** One a line, Basic first: clients that know only one scheme tend to look no further. */
const CHALLENGES = ['Basic realm="toolcrib", charset="UTF-8"', BEARER];

const FASTIFY_ERRORS: Record<string, () => AppError> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () =>
    new AppError('PayloadTooLargeError', 'The body is larger than allowed here'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: unsupportedMediaType,
  FST_ERR_ROUTE_MISSING_CONTENT_TYPE: unsupportedMediaType,
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    new AppError('ValidationError', 'Invalid request body', {
      field: 'Content-Length',
      reason: 'The body does not have the length that Content-Length says',
    }),
  FST_ERR_BAD_URL: () =>
    new AppError('ValidationError', 'Invalid path parameters', {
      field: 'path',
      reason: 'The percent-encoding of the path must be of UTF-8',
    }),
  FST_ERR_MAX_PARAM_LENGTH: () =>
    new AppError('UriTooLongError', 'A path parameter is longer than allowed'),
};

export function unsupportedMediaType(): AppError {
  return new AppError('UnsupportedMediaTypeError', 'The body must be application/json', {
    field: 'Content-Type',
    reason: 'Content-Type must be application/json',
  });
}

function toAppError(error: unknown): AppError {
  const translated = asAppError(error);
  if (translated instanceof AppError) return translated;
  const { code = '', statusCode } = (error ?? {}) as Partial<FastifyError>;
  const known = FASTIFY_ERRORS[code]?.();
  if (known !== undefined) return known;
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new AppError('ValidationError', 'Invalid request', {
      field: 'request',
      reason: 'The request cannot be read',
    });
  }
  return new AppError('InternalError', 'Something went wrong here; the log has the request id');
}
