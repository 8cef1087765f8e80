import { authorize, type Principal, type Scope } from '../auth/authorize.ts';
import { isObject } from '../json.ts';
import { builtInTool } from './built-in-tools.ts';

/** Methods with a scope of their own; all others need credentials only and show what these allow. */
const METHOD_SCOPES: Readonly<Record<string, Scope>> = { 'tools/search': 'tools:read' };

/**
 * What a message needs, before anything runs: a missing scope is an answer of HTTP, not of a tool.
 * @throws AppError AuthorizationError naming the scope.
 */
export function authorizeMessage(caller: Principal, message: unknown): void {
  if (!isObject(message) || typeof message['method'] !== 'string') return;
  const { method, params } = message;
  const scope = method === 'tools/call' ? callScope(params) : METHOD_SCOPES[method];
  if (scope !== undefined) authorize(caller, scope);
}

function callScope(params: unknown): Scope | undefined {
  if (!isObject(params) || typeof params['name'] !== 'string') return undefined;
  return builtInTool(params['name'])?.scope ?? 'tools:read';
}
