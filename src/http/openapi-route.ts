import type { FastifySchema, RouteOptions } from 'fastify';
import { ERRORS, type ErrorType } from '../errors.ts';

/** What a route's schema carries into the document, where it is resolved into responses. */
export interface DocumentedErrors {
  'x-errors'?: readonly ErrorType[];
  'x-error-shape'?: 'opensearch';
}

type RouteSchema = FastifySchema & DocumentedErrors;

/** Errors of every operation. */
const EVERYWHERE: ErrorType[] = [
  'ValidationError',
  'MethodNotAllowedError',
  'RequestTimeoutError',
  'HeadersTooLargeError',
  'InternalError',
  'ServiceUnavailableError',
];

/** Further errors of an operation that may have a body. */
const OF_WRITES: ErrorType[] = [
  'AuthorizationError',
  'PayloadTooLargeError',
  'UnsupportedMediaTypeError',
  'StorageFullError',
];

/** A route's schema with all that follows from its method, path and access; hidden if unnamed. */
export function describeRoute(route: RouteOptions): RouteSchema {
  const schema = route.schema as RouteSchema | undefined;
  if (schema?.operationId === undefined || schema.hide) return { ...schema, hide: true };
  const { access, errorShape } = route.config ?? {};
  const scope = access === 'open' || access === 'authenticated' ? undefined : access;
  return {
    ...schema,
    description: `${schema.description}${scope ? `\n\nScope: \`${scope}\`` : ''}`,
    // A scheme other than OAuth may list the roles that are needed (OpenAPI 3.1, 4.8.30).
    security: schema.security ?? (access === 'open' ? [] : securityOf(scope ? [scope] : [])),
    'x-errors': byStatus(new Set([...errorsOf(route), ...(schema['x-errors'] ?? [])])),
    ...(errorShape === 'opensearch' && { 'x-error-shape': errorShape }),
  };
}

function securityOf(roles: string[]) {
  return [{ basic: roles }, { bearer: roles }];
}

function errorsOf({ method, url, config }: RouteOptions): ErrorType[] {
  const access = config?.access;
  const errors = [...EVERYWHERE];
  if (access !== 'open') errors.push('AuthenticationError', 'RateLimitError');
  if (access !== 'open' && access !== 'authenticated') errors.push('AuthorizationError');
  if (method !== 'GET') errors.push(...OF_WRITES);
  if (url.includes(':')) errors.push('UriTooLongError');
  return errors;
}

function byStatus(types: Iterable<ErrorType>): ErrorType[] {
  return [...types].sort((a, b) => ERRORS[a].status - ERRORS[b].status);
}
