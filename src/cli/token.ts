import { type Command, InvalidArgumentError, Option } from 'commander';
import { COMMAND_LINE } from '../auth/actor.ts';
import type { Scope } from '../auth/authorize.ts';
import { PATH_PREFIX } from '../auth/token-limits.ts';
import { maskTokens, tokenIdOf } from '../auth/token-text.ts';
import { createToken, revokeToken, shownToken } from '../auth/tokens.ts';
import { parseRfc3339, RFC3339_PATTERN } from '../rfc3339-time.ts';
import { TokenName } from '../schemas/token.ts';
import type { Store } from '../store/store.ts';
import type { OwnedToken, TokenFilter } from '../store/tokens.ts';
import { TOOL_PATTERN } from '../store/tool-patterns.ts';
import { counted, say, withStore } from './context.ts';
import { getUser, scopesOption } from './user.ts';

const DAY_MS = 86_400_000;
const AT_ONCE = 500;

interface CreateOptions {
  name: string;
  scopes?: Scope[];
  read?: string[];
  write?: string[];
  tools?: string[];
  expires?: number;
}

/** `toolcrib token create|list|revoke` */
export function addToken(program: Command): void {
  const token = program.command('token').description('tokens, which act for a user within limits');

  token
    .command('create')
    .description('create a token for a user and print it, once')
    .argument('<user>')
    .option('--name <name>', 'what it is for', matching(TokenName.pattern ?? ''), 'token')
    .addOption(scopesOption("at most the user's, which are the default"))
    .option('--read <paths...>', 'read memories below these only', each(PATH_PREFIX))
    .option('--write <paths...>', 'write memories below these only', each(PATH_PREFIX))
    .option('--tools <patterns...>', "such as 'github__*' '!*__delete_*'", each(TOOL_PATTERN))
    .addOption(
      new Option('--expires <when>', 'days from now as 90d, or an RFC 3339 time').argParser(
        parseExpiry,
      ),
    )
    .action(async (user: string, options: CreateOptions) => {
      await withStore((store) => create(store, user, options));
    });

  token
    .command('list')
    .description('list the tokens of a user, or all')
    .argument('[user]')
    .option('--json', 'as a JSON array')
    .action(async (user: string | undefined, { json = false }: { json?: boolean }) => {
      const tokens = await withStore(async (store) => {
        const filter = user === undefined ? {} : { owner: (await getUser(store, user)).id };
        return all(store, filter);
      });
      const lines = json ? [JSON.stringify(tokens.map(shownToken))] : tokens.map(line);
      for (const text of lines) process.stdout.write(`${text}\n`);
    });

  token
    .command('revoke')
    .description('revoke a token, and those that it made')
    .argument('<token>', 'how it begins, or all of it')
    .action(async (text: string) => {
      const id = tokenIdOf(text) ?? maskTokens(text);
      await withStore((store) => revokeToken(store, id, COMMAND_LINE));
      say(`Token ${id} revoked`);
    });
}

async function create(store: Store, name: string, options: CreateOptions): Promise<void> {
  const { id, scopes } = await getUser(store, name);
  const { read, write, tools, expires } = options;
  const { text, token } = await createToken(
    store,
    { id, name, scopes },
    {
      name: options.name,
      scopes: options.scopes ?? scopes,
      ...(read && { read_paths: read }),
      ...(write && { write_paths: write }),
      ...(tools && { tool_patterns: tools }),
      expires_at: expires,
    },
    COMMAND_LINE,
  );
  process.stdout.write(`${text}\n`);
  say(`Token ${token.id} of ${name} created with ${token.scopes.join(', ') || 'no scopes'}`);
}

async function all(store: Store, filter: TokenFilter): Promise<OwnedToken[]> {
  const found: OwnedToken[] = [];
  for (;;) {
    const { tokens, total } = await store.tokens.list(filter, AT_ONCE, found.length);
    found.push(...tokens);
    if (tokens.length === 0 || found.length >= total) return found;
  }
}

function line(token: OwnedToken): string {
  const { token_id, user, name, scopes, expires_at = 'never', ...shown } = shownToken(token);
  const limits = Object.values(token.limits).flat().length;
  return [
    token_id,
    user,
    name,
    scopes.join(', ') || 'no scopes',
    ...(limits > 0 ? [counted(limits, 'limit')] : []),
    `expires ${expires_at}`,
    `used ${shown.last_used_at ?? 'never'}`,
  ].join('  ');
}

function matching(pattern: string): (text: string) => string {
  const rule = new RegExp(pattern, 'u');
  return (text) => {
    if (rule.test(text)) return text;
    throw new InvalidArgumentError(`It must match ${pattern}.`);
  };
}

/** For options that take several values. */
function each(pattern: string): (text: string, known?: string[]) => string[] {
  const check = matching(pattern);
  return (text, known = []) => [...known, check(text)];
}

function parseExpiry(text: string): number {
  const days = /^([1-9]\d{0,4})d$/.exec(text)?.[1];
  if (days !== undefined) return Date.now() + Number(days) * DAY_MS;
  const ms = new RegExp(RFC3339_PATTERN).test(text) ? parseRfc3339(text) : undefined;
  if (ms !== undefined) return ms;
  throw new InvalidArgumentError('It must look like 90d or 2030-01-01T00:00:00Z.');
}
