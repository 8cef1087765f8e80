/** Every error the API answers: type, HTTP status and what it means. The one table of the product. */
export const ERRORS = {
  ValidationError: { status: 400, means: 'A parameter, path or body breaks its rules.' },
  FilterError: {
    status: 400,
    means: 'A filter of memories means nothing: an unknown type, a bad path.',
  },
  AuthenticationError: { status: 401, means: 'Credentials are missing or wrong.' },
  AuthorizationError: {
    status: 403,
    means: 'The credentials lack the scope, or the origin is foreign.',
  },
  NotFoundError: { status: 404, means: 'No such tool, user, token, memory or path.' },
  MethodNotAllowedError: { status: 405, means: 'The path exists, the method does not; see Allow.' },
  NotAcceptableError: { status: 406, means: 'The answer is of a type that Accept leaves out.' },
  RequestTimeoutError: { status: 408, means: 'The request was not sent completely in time.' },
  ConflictError: {
    status: 409,
    means: 'The name is taken, or the change would break a rule of the store.',
  },
  PreconditionFailedError: { status: 412, means: 'If-Match names another revision.' },
  PayloadTooLargeError: { status: 413, means: 'The body is larger than allowed.' },
  UriTooLongError: { status: 414, means: 'The path or query is longer than allowed.' },
  UnsupportedMediaTypeError: {
    status: 415,
    means: 'The content type or encoding is not accepted here.',
  },
  RateLimitError: { status: 429, means: 'Too many wrong passwords; see Retry-After.' },
  HeadersTooLargeError: { status: 431, means: 'The request headers are larger than allowed.' },
  InternalError: { status: 500, means: 'A fault of the server; the log has the request id.' },
  ServiceUnavailableError: { status: 503, means: 'The store cannot answer now; see Retry-After.' },
  StorageFullError: { status: 507, means: 'The disk is full; nothing was written.' },
} as const satisfies Record<string, { status: number; means: string }>;

export type ErrorType = keyof typeof ERRORS;

/** One broken rule: the dotted path of the value (`tools[3].name`) and why it was refused. */
export interface Fault {
  field: string;
  reason: string;
}

/** An error meant for the caller: its message and details go out as they are. */
export class AppError extends Error {
  readonly type: ErrorType;
  readonly details: Record<string, unknown>;
  /** Seconds for `Retry-After`, or undefined. */
  readonly retryAfter: number | undefined;

  constructor(
    type: ErrorType,
    message: string,
    details: Record<string, unknown> = {},
    retryAfter?: number,
  ) {
    super(message);
    this.name = type;
    this.type = type;
    this.details = details;
    this.retryAfter = retryAfter;
  }

  get status(): number {
    return ERRORS[this.type].status;
  }
}

/** A ValidationError from its faults: the first in `details`, all in `details.errors` when several. */
export function validationError(message: string, faults: readonly Fault[]): AppError {
  const [first] = faults;
  const details = faults.length > 1 ? { ...first, errors: faults } : { ...first };
  return new AppError('ValidationError', message, details);
}
