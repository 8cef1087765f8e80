import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { passwordFault } from './auth/passwords.ts';
import { isUserName, USER_NAME } from './auth/user-name.ts';
import { suggestion } from './nearest.ts';
import {
  isAddressRange,
  isOrigin,
  oneOf,
  parseBoolean,
  parseScopeMap,
  urlOrNothing,
  words,
} from './setting-values.ts';

interface Setting<Value> {
  name: string;
  default: string;
  means: string;
  /** Throws an Error that says what is allowed. */
  parse: (text: string) => Value;
  /** May also come from the file that `<name>_FILE` names. */
  secret?: true;
}

/** What `tools/list` shows beside the built-in tools. */
const TOOLS_SHOWN = ['auto', 'all', 'lean'] as const;
export type ToolsShown = (typeof TOOLS_SHOWN)[number];

const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

/** Every setting: the one place of its name, default, meaning and rule. */
export const SETTINGS = {
  host: setting('TOOLCRIB_HOST', '127.0.0.1', 'Address to listen on', (text) => text),
  port: setting('TOOLCRIB_PORT', '9200', 'Port to listen on; 0 takes a free one', (text) => {
    const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
    if (!(port <= 65_535)) throw new Error('must be a port, 0 to 65535');
    return port;
  }),
  databaseUrl: setting(
    'TOOLCRIB_DATABASE_URL',
    'file:./data/toolcrib.db',
    'Where the store is: the path of a SQLite file',
    (text) => {
      if (!/^file:./.test(text)) throw new Error('must look like file:./data/toolcrib.db');
      return text;
    },
  ),
  logLevel: setting('TOOLCRIB_LOG_LEVEL', 'info', `One of ${LEVELS.join(', ')}`, (text) =>
    oneOf(LEVELS, text),
  ),
  adminUser: setting('TOOLCRIB_ADMIN_USER', 'admin', 'Name of the first user', (text) => {
    if (!isUserName(text)) throw new Error(`must be ${USER_NAME.description}`);
    return text;
  }),
  adminPassword: {
    ...setting(
      'TOOLCRIB_ADMIN_PASSWORD',
      '',
      'Password of the first user, 8 characters or more; generated and printed once when empty',
      (text): string | undefined => {
        if (text === '') return undefined;
        const fault = passwordFault(text);
        if (fault !== undefined) throw new Error(fault);
        return text;
      },
    ),
    secret: true as const,
  },
  trustedProxies: setting(
    'TOOLCRIB_TRUSTED_PROXIES',
    '',
    'Addresses or CIDR ranges, with commas, whose X-Forwarded-* headers are believed',
    (text) => {
      const ranges = words(text);
      const wrong = ranges.filter((range) => !isAddressRange(range));
      if (wrong.length === 0) return ranges;
      throw new Error(`must be IP addresses or CIDR ranges, with commas, not ${wrong.join(', ')}`);
    },
  ),
  openDocs: setting(
    'TOOLCRIB_OPEN_DOCS',
    'true',
    'Whether /docs and /openapi.json answer without credentials',
    parseBoolean,
  ),
  openMetrics: setting(
    'TOOLCRIB_METRICS_OPEN',
    'false',
    'Whether /metrics answers without credentials',
    parseBoolean,
  ),
  mcpTools: setting(
    'TOOLCRIB_MCP_TOOLS',
    'auto',
    'What tools/list shows beside the built-in tools: all of the catalogue, none of it (lean), or all up to 200 tools and none above (auto)',
    (text) => oneOf(TOOLS_SHOWN, text),
  ),
  mcpOrigins: setting(
    'TOOLCRIB_MCP_ORIGINS',
    '',
    'Origins, such as https://chat.example.com, with commas, whose web pages may ask the MCP endpoint',
    (text) => {
      const wrong = words(text).filter((origin) => !isOrigin(origin));
      if (wrong.length === 0) return words(text);
      throw new Error(`must be origins like https://example.com, not ${wrong.join(', ')}`);
    },
  ),
  mcpHosts: setting(
    'TOOLCRIB_MCP_HOSTS',
    '',
    'Host names, with commas, under which the MCP endpoint answers; when empty, those of this machine if it listens on a loopback address, else all',
    words,
  ),
  memorySecrets: setting(
    'TOOLCRIB_MEMORY_SECRETS',
    'mask',
    'What becomes of text in memories that looks like a credential: mask it, or refuse the memory',
    (text) => oneOf(['mask', 'refuse'] as const, text),
  ),
  embeddingsUrl: setting(
    'TOOLCRIB_EMBEDDINGS_URL',
    '',
    'OpenAI-compatible endpoint, such as http://localhost:11434/v1/embeddings, that adds meaning to ranked search; nothing is asked when empty',
    urlOrNothing,
  ),
  embeddingsModel: setting(
    'TOOLCRIB_EMBEDDINGS_MODEL',
    '',
    'Model that the embeddings endpoint is asked for; needed with its URL',
    (text) => text,
  ),
  embeddingsApiKey: {
    ...setting(
      'TOOLCRIB_EMBEDDINGS_API_KEY',
      '',
      'Key that the embeddings endpoint gets as a Bearer token; none when empty',
      (text): string | undefined => {
        if (!/^[\x21-\x7e]*$/.test(text)) throw new Error('must be of printable ASCII characters');
        return text === '' ? undefined : text;
      },
    ),
    secret: true as const,
  },
  openidIssuer: setting(
    'TOOLCRIB_OPENID_ISSUER',
    '',
    'Issuer of an OpenID provider whose JSON Web Tokens are taken as Bearer tokens; none when empty',
    urlOrNothing,
  ),
  openidAudience: setting(
    'TOOLCRIB_OPENID_AUDIENCE',
    '',
    'Audience that these tokens must be for; needed with the issuer',
    (text) => text,
  ),
  openidJwksUrl: setting(
    'TOOLCRIB_OPENID_JWKS_URL',
    '',
    "Where the provider's public keys are (its `jwks_uri`); needed with the issuer",
    urlOrNothing,
  ),
  openidScopesClaim: setting(
    'TOOLCRIB_OPENID_SCOPES_CLAIM',
    'scope',
    'Claim that says what the bearer may do: a list or words; dots lead into nested claims',
    (text) => text,
  ),
  openidScopes: setting(
    'TOOLCRIB_OPENID_SCOPES',
    '',
    'What the values of that claim stand for, as `value=scope` with commas; when empty, the names of scopes for themselves',
    parseScopeMap,
  ),
  url: setting(
    'TOOLCRIB_URL',
    'http://localhost:9200',
    'Server that `toolcrib tools` asks; a path is the base path',
    (text) => {
      if (!/^https?:\/\/./.test(text)) throw new Error('must be a URL of http or https');
      return text;
    },
  ),
  token: {
    ...setting('TOOLCRIB_TOKEN', '', 'Token with which `toolcrib tools` asks', (text) => text),
    secret: true as const,
  },
  user: setting('TOOLCRIB_USER', '', 'User as whom it asks without a token', (text) => text),
  password: {
    ...setting('TOOLCRIB_PASSWORD', '', 'Password of that user', (text) => text),
    secret: true as const,
  },
} as const;

export type Config = {
  readonly [Key in keyof typeof SETTINGS]: ReturnType<(typeof SETTINGS)[Key]['parse']>;
};

function setting<Value>(
  name: string,
  value: string,
  means: string,
  parse: (text: string) => Value,
): Setting<Value> {
  return { name, default: value, means, parse };
}

/** The faults of all settings, one a line. */
export class ConfigError extends Error {}

/** What container platforms inject for a service called "toolcrib"; none of it is a setting. */
const INJECTED =
  /^TOOLCRIB_(SERVICE_(HOST|PORT)(_.*)?|PORT_\d+_(TCP|UDP)(_(PROTO|PORT|ADDR))?|NAME|ENV_.*)$/;
const INJECTED_VALUE = /^(tcp|udp):\/\//;

/**
 * Reads the settings from the environment and, for those not set there, from `.env` in `folder`.
 * @throws ConfigError listing every fault.
 */
export function loadConfig(
  environment: NodeJS.ProcessEnv = process.env,
  folder = process.cwd(),
): { config: Config; warnings: string[] } {
  const values = { ...readDotEnv(folder), ...environment };
  const faults: string[] = [];
  const entries = Object.entries(SETTINGS).map(([key, one]) => {
    try {
      return [key, one.parse(textOf(one, values))];
    } catch (error) {
      faults.push(`${one.name} ${(error as Error).message}`);
      return [key, undefined];
    }
  });
  const config = Object.fromEntries(entries) as Config;
  if (config.embeddingsUrl && config.embeddingsModel === '') {
    faults.push(`${SETTINGS.embeddingsModel.name} must be set with ${SETTINGS.embeddingsUrl.name}`);
  }
  for (const needed of ['openidAudience', 'openidJwksUrl'] as const) {
    if (config.openidIssuer && config[needed] === '') {
      faults.push(`${SETTINGS[needed].name} must be set with ${SETTINGS.openidIssuer.name}`);
    }
  }
  if (faults.length > 0) throw new ConfigError(faults.join('\n'));
  return { config: Object.freeze(config), warnings: unknownNames(values) };
}

function readDotEnv(folder: string): Record<string, string | undefined> {
  const file = `${folder}/.env`;
  return existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {};
}

function textOf(one: Setting<unknown>, values: NodeJS.ProcessEnv): string {
  const value = values[one.name];
  const file = one.secret ? values[`${one.name}_FILE`] : undefined;
  if (value && file) throw new Error(`and ${one.name}_FILE must not both be set`);
  if (file) {
    try {
      return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
    } catch (error) {
      throw new Error(`cannot be read from ${file}: ${(error as NodeJS.ErrnoException).code}`);
    }
  }
  return value === undefined || value === '' || INJECTED_VALUE.test(value) ? one.default : value;
}

function unknownNames(values: NodeJS.ProcessEnv): string[] {
  const known = Object.values<Setting<unknown>>(SETTINGS).flatMap(({ name, secret }) =>
    secret ? [name, `${name}_FILE`] : [name],
  );
  return Object.keys(values)
    .filter((name) => name.startsWith('TOOLCRIB_') && !known.includes(name) && !INJECTED.test(name))
    .map((name) => `${name} is not a setting${suggestion(name, known, 'TOOLCRIB_')}`);
}
