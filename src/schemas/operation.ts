import type { TSchema } from '@sinclair/typebox';
import { Type } from '@sinclair/typebox';
import type { ErrorType } from '../errors.ts';

/** What an operation says of itself in the OpenAPI document. */
interface Description {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
}

interface Answer {
  description: string;
  /** The JSON of the body; an answer without it has no body. */
  schema?: TSchema;
  example?: unknown;
  /** JSON unless said otherwise. */
  mediaType?: string;
  /** Names of response headers, described in http/openapi-components.ts. */
  headers?: string[];
}

/**
 * The route schema of an operation. `errors` are those of its own; the ones that follow from its
 * method, path and access, and the security, are added from the route (http/openapi-route.ts).
 */
export function operation<Parts extends object>(
  description: Description,
  { errors = [], ...parts }: Parts & { errors?: ErrorType[] },
  answers: Record<number, Answer>,
) {
  const response = Object.fromEntries(
    Object.entries(answers).map(([status, answer]) => [status, responseOf(answer)]),
  );
  return { ...description, ...parts, response, 'x-errors': errors };
}

function responseOf({
  description,
  schema,
  example,
  mediaType = 'application/json',
  headers = [],
}: Answer) {
  const named = Object.fromEntries(headers.map((name) => [name, {}]));
  if (schema === undefined) return { description, headers: named, type: 'null' };
  const media = example === undefined ? { schema } : { schema, example };
  return { description, headers: named, content: { [mediaType]: media } };
}

/** An empty query: OpenSearch's common parameters only. */
export const NoQuery = Type.Object({});
