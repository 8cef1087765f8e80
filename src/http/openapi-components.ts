import { AppError, ERRORS, type ErrorType } from '../errors.ts';
import { EXAMPLE_TIME, errorExamples } from '../schemas/examples.ts';
import { failure, openSearchFailure } from './answers.ts';

/** Response headers that mean something to a client, by name. */
export const HEADERS = {
  Allow: {
    description: 'The methods that the path has',
    schema: { type: 'string' },
    example: 'GET, HEAD, POST',
  },
  ETag: {
    description: 'Tag of what is shown, for If-None-Match; that of one tool also for If-Match',
    schema: { type: 'string' },
    example: '"1.lqv3k2o0-da39a3ee5e6b"',
  },
  'Retry-After': {
    description: 'Seconds to wait before the next attempt',
    schema: { type: 'integer', minimum: 1 },
    example: 5,
  },
  'WWW-Authenticate': {
    description: 'How to authenticate',
    schema: { type: 'string' },
    example: 'Basic realm="toolcrib", charset="UTF-8"',
  },
  'X-Request-Id': {
    description: "The request's id, as given by the caller or made here; the log has it too",
    schema: { type: 'string' },
    example: 'k3x9qa-1f',
  },
};

/** Errors of Node's HTTP parser, which knows neither route nor request id. */
const OF_PARSER: ErrorType[] = ['RequestTimeoutError', 'HeadersTooLargeError'];

const OWN_HEADERS: Partial<Record<ErrorType, keyof typeof HEADERS>> = {
  AuthenticationError: 'WWW-Authenticate',
  MethodNotAllowedError: 'Allow',
  RateLimitError: 'Retry-After',
  ServiceUnavailableError: 'Retry-After',
};

/** The name and the response component of an error, in the dialect of the route. */
function errorResponse(type: ErrorType, shape?: 'opensearch') {
  const ofParser = OF_PARSER.includes(type);
  const openSearch = shape === 'opensearch' && !ofParser;
  const { message, details } = errorExamples[type];
  const error = new AppError(type, message, details);
  const own = OWN_HEADERS[type];
  const headers = [...(own ? [own] : []), ...(ofParser ? [] : ['X-Request-Id'])];
  return {
    name: openSearch ? `OpenSearch${type}` : type,
    response: {
      description: ERRORS[type].means,
      headers: headerReferences(headers),
      content: {
        'application/json': {
          schema: {
            $ref: `#/components/schemas/${openSearch ? 'OpenSearchError' : `${type}Answer`}`,
          },
          example: openSearch
            ? openSearchFailure(error)
            : { ...failure(error), timestamp: EXAMPLE_TIME },
        },
      },
    },
  };
}

/** The same for errors of one status, of which an answer has any. */
export function anyErrorResponse(types: readonly ErrorType[], shape?: 'opensearch') {
  const each = types.map((type) => errorResponse(type, shape));
  const [first] = each;
  if (first === undefined || each.length === 1) return first ?? errorResponse('InternalError');
  const media = each.map(({ response }) => response.content['application/json']);
  return {
    name: types.join('Or'),
    response: {
      ...first.response,
      description: each.map(({ response }) => response.description).join(' Or: '),
      content: {
        'application/json': {
          schema: { anyOf: media.map(({ schema }) => schema) },
          example: media.at(-1)?.example,
        },
      },
    },
  };
}

/** References to the components of these headers. */
export function headerReferences(names: readonly string[]): Record<string, { $ref: string }> {
  return Object.fromEntries(
    [...names].sort().map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
}
