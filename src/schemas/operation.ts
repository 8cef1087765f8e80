import type { TSchema } from '@sinclair/typebox';
import { Type } from '@sinclair/typebox';
import { ERRORS, type ErrorType } from '../errors.ts';
import { ErrorAnswer, ref } from './common.ts';
import { OpenSearchError } from './ml-commons.ts';

/** What an operation says of itself in the OpenAPI document. */
interface Description {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
}

/** Errors that any operation behind credentials can answer. */
const EVERYWHERE: ErrorType[] = [
  'ValidationError',
  'AuthenticationError',
  'AuthorizationError',
  'RateLimitError',
  'InternalError',
  'ServiceUnavailableError',
];

/** Further errors of operations that write. */
export const OF_WRITES: ErrorType[] = [
  'PayloadTooLargeError',
  'UnsupportedMediaTypeError',
  'StorageFullError',
];

/** The route schema of an operation: its answers, and all its errors, each by its status. */
export function operation<Parts extends object>(
  description: Description,
  parts: Parts & { errors?: ErrorType[]; shape?: 'opensearch' },
  answers: Record<number, { description: string; schema?: TSchema; example?: unknown }>,
) {
  const { errors = [], shape, ...rest } = parts;
  const errorSchema = shape === 'opensearch' ? ref(OpenSearchError) : ref(ErrorAnswer);
  const response: Record<number, unknown> = {};
  for (const [status, { description: text, schema, example }] of Object.entries(answers)) {
    response[Number(status)] =
      schema === undefined
        ? { description: text, type: 'null' }
        : { description: text, content: json(schema, example) };
  }
  for (const type of [...EVERYWHERE, ...errors]) {
    const { status, means } = ERRORS[type];
    response[status] ??= { description: `${type}: ${means}`, content: json(errorSchema) };
  }
  return { ...description, ...rest, response, security: [{ basic: [] }] };
}

function json(schema: TSchema, example?: unknown) {
  const media = example === undefined ? { schema } : { schema, example };
  return { 'application/json': media };
}

/** An empty query: OpenSearch's common parameters only. */
export const NoQuery = Type.Object({});
