import { type TSchema, Type } from '@sinclair/typebox';
import { AppError } from '../errors.ts';
import { checkedBy } from '../http/checked.ts';
import { isObject, type Json, type JsonObject } from '../json.ts';

const AnyObject = Type.Object({}, { additionalProperties: true });
const Page = Type.Object({ cursor: Type.Optional(Type.String()) });

/** What methods must be given; the SDK says a fault as its parser's own text, some as a fault of ours. */
const PARAMS: Readonly<Record<string, TSchema>> = {
  initialize: Type.Object({
    protocolVersion: Type.String(),
    capabilities: AnyObject,
    clientInfo: Type.Object({ name: Type.String(), version: Type.String() }),
  }),
  'tools/list': Page,
  'prompts/list': Page,
  'resources/list': Page,
  'resources/templates/list': Page,
  'resources/read': Type.Object({ uri: Type.String() }),
  'tools/call': Type.Object({ name: Type.String(), arguments: Type.Optional(AnyObject) }),
};

const CHECKS = new Map(
  Object.entries(PARAMS).map(([method, schema]) => [method, checkedBy(schema)]),
);

/** What a client need not say of itself to be answered. */
const INITIALIZE: JsonObject = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'unknown', version: '0' },
};

/** The message, with what a bare `initialize` leaves out. */
export function withDefaults(message: unknown): unknown {
  if (!isObject(message as Json) || (message as JsonObject)['method'] !== 'initialize') {
    return message;
  }
  const { params } = message as JsonObject;
  const given = isObject(params) ? params : {};
  return { ...(message as JsonObject), params: { ...INITIALIZE, ...given } };
}

/** The answer to a request whose params are wrong, naming the parameter; else undefined. */
export function paramsFault(message: unknown): object | undefined {
  if (!isObject(message as Json)) return undefined;
  const { id, method, params } = message as JsonObject;
  if (typeof id !== 'string' && typeof id !== 'number') return undefined;
  // MCP has parameters by name only, which the SDK says as if the whole message were none.
  if (params !== undefined && !isObject(params)) {
    return failure(id, 'Invalid params: params must be an object', { field: 'params' });
  }
  try {
    CHECKS.get(String(method))?.(params ?? {});
    return undefined;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { field, reason } = error.details;
    return failure(id, `Invalid params: ${reason}`, { field, reason });
  }
}

function failure(id: string | number, message: string, data: object) {
  return { jsonrpc: '2.0', id, error: { code: -32_602, message, data } };
}
