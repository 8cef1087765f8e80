import assert from 'node:assert/strict';
import type { LightMyRequestResponse } from 'fastify';
import { ERRORS, type ErrorType } from '../../src/errors.ts';

/** What both ways of asking (injected, over a socket) give of an answer. */
export type Answer = Pick<LightMyRequestResponse, 'statusCode' | 'headers' | 'body'>;

export interface FailureDetails {
  field?: string;
  reason?: string;
  errors?: { field: string; reason: string }[];
  [key: string]: unknown;
}

/** Asserts the error envelope of this type, with its status and headers, and gives what it says. */
export function failureOf(
  answer: Answer,
  type: ErrorType,
): { message: string; details: FailureDetails } {
  const text = `${answer.statusCode} ${answer.body.slice(0, 500)}`;
  assert.equal(answer.statusCode, ERRORS[type].status, text);
  assertErrorHeaders(answer);
  const body = JSON.parse(answer.body);
  assert.deepEqual(Object.keys(body), ['success', 'error', 'timestamp'], text);
  assert.equal(body.success, false);
  assert.match(body.timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  assert.deepEqual(Object.keys(body.error), ['type', 'message', 'details'], text);
  assert.equal(body.error.type, type, text);
  return body.error;
}

/** Asserts OpenSearch's error shape, and gives its type and reason. */
export function openSearchFailureOf(answer: Answer, status: number): [string, string] {
  const text = `${answer.statusCode} ${answer.body.slice(0, 500)}`;
  assert.equal(answer.statusCode, status, text);
  assertErrorHeaders(answer);
  const body = JSON.parse(answer.body);
  const { type, reason } = body.error;
  assert.deepEqual(body, { error: { root_cause: [{ type, reason }], type, reason }, status }, text);
  return [type, reason];
}

/** Asserts JSON-RPC's error shape, and gives its message and data. */
export function jsonRpcFailureOf(
  answer: Answer,
  type: ErrorType,
): { message: string; data: Record<string, unknown> } {
  assert.equal(answer.statusCode, ERRORS[type].status, answer.body);
  assertErrorHeaders(answer);
  const { error, ...envelope } = JSON.parse(answer.body);
  assert.deepEqual(envelope, { jsonrpc: '2.0', id: null }, answer.body);
  assert.deepEqual(Object.keys(error), ['code', 'message', 'data'], answer.body);
  assert.equal(error.data.type, type, answer.body);
  return error;
}

/** Whether a path is one of those that speak JSON-RPC. */
export function speaksJsonRpc(path: string): boolean {
  return /^(\/_plugins\/_(ml|agent))?\/mcp(\/lean)?$/.test(path);
}

function assertErrorHeaders({ headers, body }: Answer): void {
  assert.equal(headers['content-type'], 'application/json; charset=utf-8', body);
  assert.equal(headers['cache-control'], 'no-store', body);
  assert.equal(headers['x-content-type-options'], 'nosniff', body);
}
