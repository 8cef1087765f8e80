import { wireNow } from '../catalogue/wire-time.ts';
import { type AppError, ERRORS, type ErrorType } from '../errors.ts';

/** The success envelope as JSON text, around data that is JSON text already. */
export function successJson(message: string, data: string): string {
  return `{"success":true,"message":${JSON.stringify(message)},"data":${data},"timestamp":"${wireNow()}"}`;
}

/** The success envelope around plain data. */
export function success(message: string, data: unknown) {
  return { success: true, message, data, timestamp: wireNow() };
}

/** The error envelope. */
export function failure(error: AppError) {
  const { type, message, details } = error;
  return { success: false, error: { type, message, details }, timestamp: wireNow() };
}

/** OpenSearch's names for our errors, on the routes that speak its dialect. */
const OPENSEARCH_TYPES: Partial<Record<ErrorType, string>> = {
  ValidationError: 'illegal_argument_exception',
  AuthenticationError: 'security_exception',
  AuthorizationError: 'security_exception',
  NotFoundError: 'resource_not_found_exception',
};

/** The same error in OpenSearch's shape. */
export function openSearchFailure(error: AppError) {
  const reason = openSearchReason(error);
  const type = reason.startsWith('Validation Failed:')
    ? 'action_request_validation_exception'
    : (OPENSEARCH_TYPES[error.type] ?? snakeCase(error.type));
  return {
    error: { root_cause: [{ type, reason }], type, reason },
    status: ERRORS[error.type].status,
  };
}

/** Of JSON-RPC 2.0, and -32001 and -32003, which MCP leaves to servers. */
const JSON_RPC_CODES: Partial<Record<ErrorType, number>> = {
  AuthenticationError: -32_001,
  AuthorizationError: -32_003,
  InternalError: -32_603,
  ServiceUnavailableError: -32_603,
  StorageFullError: -32_603,
};
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;

/** The same error as JSON-RPC says it, to whom no id is known yet. */
export function jsonRpcFailure({ type, message, details }: AppError) {
  const isUnread = message === 'Invalid request body';
  const code = JSON_RPC_CODES[type] ?? (isUnread ? PARSE_ERROR : INVALID_REQUEST);
  return { jsonrpc: '2.0', id: null, error: { code, message, data: { type, ...details } } };
}

function openSearchReason({ type, message, details }: AppError): string {
  const { field, reason } = details;
  const generic = type === 'ValidationError' && message.startsWith('Invalid ');
  return generic && typeof reason === 'string' ? `${String(field)}: ${reason}` : message;
}

function snakeCase(type: string): string {
  return type
    .replace(/Error$/, 'Exception')
    .replace(/(?<=[a-z])([A-Z])/g, '_$1')
    .toLowerCase();
}
