import { authorize, type Principal, type Scope } from '../auth/authorize.ts';
import { isObject } from '../json.ts';
import type { Toolbox } from './built-in-tools.ts';

/** Methods with a scope of their own; all others need credentials only and show what these allow. */
const METHOD_SCOPES: Readonly<Record<string, Scope>> = { 'tools/search': 'tools:read' };

/**
 * What a message needs, before anything runs: a missing scope is an answer of HTTP, not of a tool.
 * @throws AppError AuthorizationError naming the scope.
 */
export function authorizeMessage(toolbox: Toolbox, caller: Principal, message: unknown): void {
  if (!isObject(message) || typeof message['method'] !== 'string') return;
  const { method, params } = message;
  const scope = method === 'tools/call' ? callScope(toolbox, params) : METHOD_SCOPES[method];
  if (scope !== undefined) authorize(caller, scope);
}

function callScope(toolbox: Toolbox, params: unknown): Scope | undefined {
  if (!isObject(params) || typeof params['name'] !== 'string') return undefined;
  return toolbox.get(params['name'])?.scope ?? 'tools:read';
}
