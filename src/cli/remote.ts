import type { Config } from '../config.ts';
import { SETTINGS } from '../config.ts';
import { isObject, type JsonObject } from '../json.ts';
import { VERSION } from '../version.ts';
import { CliError, readConfig } from './context.ts';

const PATIENCE_MS = 30_000;

/** Asks a running server by one message of MCP; `--url` goes before the setting. */
export type Ask = (method: string, params: JsonObject) => Promise<JsonObject>;

/** @throws CliError in one line, for what the server refuses and when there is none. */
export function askServer(url: string | undefined): Ask {
  const config = readConfig();
  const endpoint = `${(url ?? config.url).replace(/\/+$/, '')}/mcp`;
  if (!URL.canParse(endpoint)) throw new CliError(`${endpoint} is no URL`);
  const headers = {
    'content-type': 'application/json',
    'user-agent': `toolcrib/${VERSION}`,
    ...authorization(config),
  };
  return async (method, params) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const response = await fetch(endpoint, { method: 'POST', headers, body, signal }).catch(
      (error: Error) => {
        throw new CliError(`Cannot reach ${endpoint}: ${reasonOf(error)}`);
      },
    );
    const message: unknown = await response.json().catch(() => undefined);
    if (response.status === 401) throw new CliError(`${endpoint} wants credentials: ${HOW}`);
    const { result, error } = isObject(message as JsonObject) ? (message as JsonObject) : {};
    if (isObject(result)) return result;
    const said = isObject(error) ? String(error['message']) : `it is no MCP endpoint`;
    throw new CliError(isObject(error) ? said : `${endpoint}: ${said} (HTTP ${response.status})`);
  };
}

const HOW = `set ${SETTINGS.token.name}, or ${SETTINGS.user.name} and ${SETTINGS.password.name}`;

function authorization({ token, user, password }: Config): { authorization?: string } {
  if (token !== '') return { authorization: `Bearer ${token}` };
  if (user === '') return {};
  return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` };
}

/** What the network said is the cause of what `fetch` says. */
function reasonOf({ message, cause, name }: Error): string {
  if (name === 'TimeoutError') return `no answer in ${PATIENCE_MS / 1000} s`;
  return cause instanceof Error ? (cause as NodeJS.ErrnoException).code || cause.message : message;
}
