import { wireTime } from '../catalogue/wire-time.ts';
import { AppError, validationError } from '../errors.ts';
import type { Actor } from '../store/audit-log.ts';
import type { Store } from '../store/store.ts';
import type { OwnedToken, StoredLimits, TokenFilter, TokenRecord } from '../store/tokens.ts';
import { actorOf } from './actor.ts';
import { authorize, type Principal, type Scope, type TokenLimits } from './authorize.ts';
import { narrowedLimits } from './token-limits.ts';
import { newToken, tokenHash } from './token-text.ts';

const MAX_TOKENS = 500;

/** What is asked for; `expires_at` in milliseconds. */
export interface WantedToken extends StoredLimits {
  name: string;
  scopes: readonly Scope[];
  expires_at?: number | undefined;
}

function tokenNotFound(id: string): AppError {
  return new AppError('NotFoundError', `Token '${id}' not found`, { token_id: id });
}

/** A token as it is shown to people: what is not set is left out. */
export function shownToken(token: OwnedToken) {
  const { id, parent, name, owner, owner_name, scopes, limits } = token;
  const { created_at, expires_at, last_used_at } = token;
  return {
    token_id: id,
    name,
    user_id: owner,
    user: owner_name,
    scopes,
    ...limits,
    ...(parent !== null && { created_by: parent }),
    created_at: wireTime(created_at),
    ...(expires_at !== null && { expires_at: wireTime(expires_at) }),
    ...(last_used_at !== null && { last_used_at: wireTime(last_used_at) }),
  };
}

/** The limits as a principal carries them. */
export function limitsOf(
  id: string,
  { read_paths, write_paths, tool_patterns }: StoredLimits,
): TokenLimits {
  return {
    id,
    ...(read_paths && { readPaths: read_paths }),
    ...(write_paths && { writePaths: write_paths }),
    ...(tool_patterns && { toolPatterns: tool_patterns }),
  };
}

/** The limits of a caller's token as they are shown. */
export function shownLimits({ id, readPaths, writePaths, toolPatterns }: TokenLimits) {
  return {
    token_id: id,
    ...(readPaths && { read_paths: readPaths }),
    ...(writePaths && { write_paths: writePaths }),
    ...(toolPatterns && { tool_patterns: toolPatterns }),
  };
}

/** Whose tokens a caller may see and revoke: an admin all, others their own, a token its own making. */
export function ownTokens({ id, scopes, token }: Principal): TokenFilter {
  if (scopes.includes('admin')) return {};
  return token === undefined ? { owner: id } : { root: token.id };
}

/**
 * Makes a token for the caller, with at most what the caller has; one made by a token ends with it.
 * @returns the token's text, which is kept nowhere, and the token as listed.
 * @throws AppError AuthorizationError (no user, or a scope or limit is beyond the caller's),
 *   ValidationError, ConflictError when there are too many.
 */
export async function createToken(
  store: Store,
  caller: Principal,
  wanted: WantedToken,
  actor: Actor = actorOf(caller),
): Promise<{ text: string; token: OwnedToken }> {
  if ((await store.users.get(caller.name))?.id !== caller.id) {
    throw new AppError('AuthorizationError', 'Only users of this server have tokens');
  }
  for (const scope of wanted.scopes) authorize(caller, scope);
  const limits = narrowedLimits(caller.token, wanted);
  assertAdminIsWhole(wanted.scopes, limits);
  const now = Date.now();
  if (wanted.expires_at !== undefined && wanted.expires_at <= now) {
    throw invalid('expires_at', 'expires_at must be in the future');
  }
  const { id, text } = newToken();
  const token = await store.tokens.change(caller.id, (tokens) => {
    const parent = tokens.find((each) => each.id === caller.token?.id);
    if (caller.token !== undefined && parent === undefined) {
      // Revoked since its request was let in.
      throw new AppError('AuthenticationError', 'Invalid credentials');
    }
    if (tokens.length >= MAX_TOKENS) {
      throw new AppError('ConflictError', `A user has at most ${MAX_TOKENS} tokens`);
    }
    const put: TokenRecord = {
      id,
      owner: caller.id,
      parent: parent?.id ?? null,
      name: wanted.name,
      hash: tokenHash(text),
      scopes: wanted.scopes,
      limits,
      created_at: now,
      expires_at: earliest(wanted.expires_at, parent?.expires_at),
      last_used_at: null,
    };
    const details = { owner: caller.id, scopes: wanted.scopes.join() };
    const act = { ...actor, at: now, action: 'token.create', subject: id, details };
    return { put, acts: [act], result: put };
  });
  return { text, token: { ...token, owner_name: caller.name, owner_scopes: caller.scopes } };
}

/**
 * Revokes a token with all that it made.
 * @param among those that the caller may revoke.
 * @throws AppError NotFoundError.
 */
export async function revokeToken(
  store: Store,
  id: string,
  actor: Actor,
  among: TokenFilter = {},
): Promise<OwnedToken> {
  const token = await store.tokens.find(id);
  if (token === undefined || !(await isAmong(store, token, among))) throw tokenNotFound(id);
  return store.tokens.change(token.owner, (tokens) => {
    if (!tokens.some((each) => each.id === id)) throw tokenNotFound(id);
    const remove = withMade(tokens, id);
    const now = Date.now();
    const details = { owner: token.owner };
    const acts = remove.map((subject) => ({
      ...actor,
      at: now,
      action: 'token.revoke',
      subject,
      details,
    }));
    return { remove, acts, result: token };
  });
}

async function isAmong(store: Store, token: OwnedToken, { owner, root }: TokenFilter) {
  if (owner !== undefined) return token.owner === owner;
  if (root === undefined) return true;
  const { tokens } = await store.tokens.list({ root }, MAX_TOKENS, 0);
  return tokens.some(({ id }) => id === token.id);
}

/** The token and all that it made, the makers last. */
function withMade(tokens: readonly TokenRecord[], id: string): string[] {
  const made = tokens.filter(({ parent }) => parent === id);
  return [...made.flatMap((each) => withMade(tokens, each.id)), id];
}

/** Whoever manages users and tokens can make itself another token: limits would only seem to hold. */
function assertAdminIsWhole(scopes: readonly Scope[], limits: StoredLimits): void {
  if (!scopes.includes('admin') || Object.keys(limits).length === 0) return;
  throw invalid('scopes', "A token with the scope 'admin' cannot be narrowed to paths or tools");
}

function earliest(...times: (number | null | undefined)[]): number | null {
  const given = times.filter((time) => typeof time === 'number');
  return given.length === 0 ? null : Math.min(...given);
}

function invalid(field: string, reason: string): AppError {
  return validationError('Invalid request body', [{ field, reason }]);
}
