import { timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { AppError } from '../errors.ts';
import type { Store } from '../store/store.ts';
import type { OwnedToken } from '../store/tokens.ts';
import type { Principal } from './authorize.ts';
import { isJwt, type OpenId } from './openid.ts';
import { tokenHash, tokenIdOf } from './token-text.ts';
import { limitsOf } from './tokens.ts';

const KNOWN_TOKENS = 10_000;
/** How exact `last_used_at` is. */
const USED_EVERY_MS = 60_000;
/** How long uses are gathered, so that many tokens share a write. */
const GATHER_MS = 1_000;
/** Matches no token, and costs what comparing with one costs. */
const NO_HASH = Buffer.alloc(32);

const SCHEME = /^bearer(?: +|$)/i;

interface Known {
  /** The state of users and tokens that it was read in. */
  stamp: string;
  hash: Uint8Array;
  expires_at: number;
  principal: Principal;
  last_used_at: number;
}

/** Whether an `Authorization` header is of the scheme that tokens come by (RFC 6750, 2.1). */
export function isBearer(header: string | undefined): header is string {
  return header !== undefined && SCHEME.test(header);
}

/**
 * Checks tokens. One that was seen is kept until users or tokens change, in whatever process, so that
 * a revocation counts from the next request. `openId` checks those of a provider; `now` in ms since
 * 1970.
 */
export function createBearer(
  { tokens, versions }: Pick<Store, 'tokens' | 'versions'>,
  { openId, now = Date.now }: { openId?: OpenId | undefined; now?: () => number } = {},
) {
  const known = new LRUCache<string, Known>({ max: KNOWN_TOKENS });
  let used = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;

  async function find(id: string): Promise<Known | undefined> {
    const { users, tokens: version } = versions();
    const stamp = `${users}.${version}`;
    const kept = known.get(id);
    if (kept?.stamp === stamp) return kept;
    const token = await tokens.find(id);
    known.delete(id);
    if (token === undefined) return undefined;
    const fresh = {
      stamp,
      hash: token.hash,
      expires_at: token.expires_at ?? Number.POSITIVE_INFINITY,
      principal: principalOf(token),
      last_used_at: Math.max(token.last_used_at ?? 0, kept?.last_used_at ?? 0),
    };
    known.set(id, fresh);
    return fresh;
  }

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const times = used;
    used = new Map();
    // Of no consequence to anyone but who reads the list: a store that is busy may lose it.
    if (times.size > 0) await tokens.markUsed(times).catch(() => undefined);
  }

  function noteUse(id: string, token: Known): void {
    if (now() - token.last_used_at < USED_EVERY_MS) return;
    token.last_used_at = now();
    used.set(id, token.last_used_at);
    timer ??= setTimeout(flush, GATHER_MS).unref();
  }

  return {
    /**
     * Who sends this header, as far as the token's scopes and its owner's current ones go.
     * @throws AppError AuthenticationError: one for what cannot be a token, and one for all others.
     */
    async authenticate(header: string): Promise<Principal> {
      const text = header.replace(SCHEME, '').trimEnd();
      if (openId !== undefined && isJwt(text)) return openId(text);
      const id = tokenIdOf(text);
      if (id === undefined) throw refused('The token is cut or mistyped');
      const digest = tokenHash(text);
      const token = await find(id);
      const isRight = timingSafeEqual(digest, token?.hash ?? NO_HASH);
      if (token === undefined || !isRight || now() >= token.expires_at) {
        throw refused('The token is unknown, revoked or expired');
      }
      noteUse(id, token);
      return token.principal;
    },

    /** Writes now when tokens were last used. */
    flush,
  };
}

function principalOf({ id, owner, owner_name, owner_scopes, scopes, limits }: OwnedToken) {
  return Object.freeze({
    id: owner,
    name: owner_name,
    scopes: scopes.filter((scope) => owner_scopes.includes(scope)),
    token: Object.freeze(limitsOf(id, limits)),
  });
}

function refused(reason: string): AppError {
  return new AppError('AuthenticationError', 'Invalid credentials', { reason });
}
