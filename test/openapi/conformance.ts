import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';

interface Media {
  schema: { $ref?: string; examples?: unknown[] };
  example?: unknown;
}

interface Answer {
  headers?: Record<string, unknown>;
  content?: Record<string, Media>;
}

export interface Operation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  security: Record<string, string[]>[];
  parameters?: {
    name: string;
    in: string;
    required: boolean;
    example?: unknown;
    schema: Record<string, unknown>;
  }[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, Answer | { $ref: string }>;
}

export interface Document {
  openapi: string;
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, Record<string, unknown>>;
}

/** What came back, from `inject` or from a socket. */
export interface Received {
  statusCode: number;
  headers: NodeJS.Dict<number | string | string[]>;
  payload: string;
}

/** Headers that mean nothing of ours; every answer may have them. */
const COMMON_HEADERS = [
  'transfer-encoding',
  'cache-control',
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'x-content-type-options',
];

/** All operations with their path and method. */
export function operationsOf(document: Document) {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      operation,
    })),
  );
}

/** The value that a `#/…` reference names. */
export function resolve<Value extends object>(
  document: Document,
  value: Value | { $ref: string },
): Value {
  if (!('$ref' in value) || typeof value.$ref !== 'string') return value as Value;
  let at: unknown = document;
  for (const key of value.$ref.slice(2).split('/')) at = (at as Record<string, unknown>)[key];
  return at as Value;
}

/** Validates values by schemas of the document; `closed` refuses keys that it does not name. */
export function createSchemaCheck(document: Document, closed: boolean) {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  ajv.addSchema(closed ? (close(document) as object) : document, 'document');
  return (pointer: string, value: unknown): string => {
    const check =
      ajv.getSchema(`document#${pointer}`) ?? ajv.compile({ $ref: `document#${pointer}` });
    return check(value) ? '' : ajv.errorsText(check.errors);
  };
}

/** Checks an answer against what the document says of the operation; gives its operationId. */
export function createConformance(document: Document) {
  const check = createSchemaCheck(document, true);

  return (path: string, method: string, received: Received): string => {
    const name = method.toLowerCase();
    const operation = document.paths[path]?.[name];
    assert.ok(operation, `${method} ${path} is not in the document`);
    const where = `${operation.operationId} ${received.statusCode}: ${received.payload.slice(0, 300)}`;
    const documented = operation.responses[received.statusCode];
    assert.ok(documented, `the status is not documented: ${where}`);
    const { headers = {}, content } = resolve<Answer>(document, documented);

    const given = Object.keys(received.headers).filter(
      (header) => !COMMON_HEADERS.includes(header),
    );
    const known = Object.keys(headers).map((header) => header.toLowerCase());
    assert.deepEqual(given.sort(), known.sort(), `headers of ${where}`);

    if (content === undefined) {
      assert.equal(received.payload, '', where);
      return operation.operationId;
    }
    const type = String(received.headers['content-type']).split(';')[0] ?? '';
    assert.ok(content[type], `${type} is not documented: ${where}`);
    const own = `/paths/${escapePointer(path)}/${name}/responses/${received.statusCode}`;
    const base = '$ref' in documented ? documented.$ref.slice(1) : own;
    // Of lines, each is what the schema says.
    const lines = type === 'application/x-ndjson' ? received.payload.trimEnd().split('\n') : [];
    for (const text of lines.length > 0 ? lines : [received.payload]) {
      const value = type === 'text/plain' ? text : JSON.parse(text);
      const fault = check(`${base}/content/${escapePointer(type)}/schema`, value);
      assert.equal(fault, '', where);
    }
    return operation.operationId;
  };
}

/** `~` and `/` in a key of a JSON pointer. */
export function escapePointer(key: string): string {
  return key
    .replaceAll('~', '~0')
    .replaceAll('/', '~1')
    .replaceAll('{', '%7B')
    .replaceAll('}', '%7D');
}

/** A copy in which schemas that do not say so allow no further properties. */
function close(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(close);
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, close(item)]));
  const open =
    copy['type'] === 'object' && 'properties' in copy && !('additionalProperties' in copy);
  return open ? { ...copy, additionalProperties: false } : copy;
}
