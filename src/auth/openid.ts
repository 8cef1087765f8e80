import { hash } from 'node:crypto';
import type { Config } from '../config.ts';
import { AppError } from '../errors.ts';
import type { Principal, Scope } from './authorize.ts';

/** How long the provider's keys are waited for. */
const KEYS_TIMEOUT_MS = 2_000;
/** How far the provider's clock may be off. */
const CLOCK_SKEW_S = 30;
/** OpenID Connect Core 1.0, section 2: a subject has at most 255 characters. */
const MAX_SUBJECT = 255;
/** Signatures by private keys only: a shared secret, or none at all, proves nothing here. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];

/** Three parts with dots between, of which the last may be missing where nothing is signed. */
const JWT = /^[\w-]+\.[\w-]+\.[\w-]*$/;

/** Who a JSON Web Token is of. @throws AppError AuthenticationError, without a hint at what is wrong. */
export type OpenId = (token: string) => Promise<Principal>;

export function isJwt(text: string): boolean {
  return JWT.test(text);
}

/**
 * Checks JSON Web Tokens of the OpenID provider in the settings; undefined when there is none. Only
 * then the library for it is loaded.
 * @throws Error in plain words when it is not installed.
 */
export async function createOpenId(config: Config): Promise<OpenId | undefined> {
  const { openidIssuer: issuer, openidAudience: audience, openidJwksUrl } = config;
  if (issuer === '') return undefined;
  const { createRemoteJWKSet, jwtVerify } = await import('jose').catch((cause: unknown) => {
    throw new Error('TOOLCRIB_OPENID_ISSUER needs the package jose', { cause });
  });
  const keys = createRemoteJWKSet(new URL(openidJwksUrl), { timeoutDuration: KEYS_TIMEOUT_MS });
  const rules = {
    issuer,
    audience,
    algorithms: ALGORITHMS,
    requiredClaims: ['exp', 'sub'],
    clockTolerance: CLOCK_SKEW_S,
  };

  return async (token) => {
    // Whatever it is, also keys that cannot be had: this token proves nothing.
    const verified = await jwtVerify(token, keys, rules).catch(() => undefined);
    const { sub: subject = '' } = verified?.payload ?? {};
    if (verified === undefined || subject === '' || subject.length > MAX_SUBJECT) {
      throw new AppError('AuthenticationError', 'Invalid credentials', {
        reason: 'The token is none that the OpenID provider vouches for now',
      });
    }
    // No provider says twice the same subject of two persons (Core 1.0, section 8).
    const id = `oidc-${hash('sha256', `${issuer}\n${subject}`).slice(0, 32)}`;
    return Object.freeze({ id, name: subject, scopes: scopesOf(verified.payload, config) });
  };
}

/** The scopes that the claim's values stand for: the named ones, or what they are mapped to. */
function scopesOf(
  claims: Record<string, unknown>,
  { openidScopesClaim, openidScopes }: Config,
): Scope[] {
  const values = valuesOf(claimOf(claims, openidScopesClaim));
  return [...new Set(values.flatMap((value) => openidScopes.get(value) ?? []))];
}

/** A claim by its name, or by a path with dots into nested ones. */
function claimOf(claims: Record<string, unknown>, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  return name.split('.').reduce<unknown>((value, key) => {
    const isNested = typeof value === 'object' && value !== null && Object.hasOwn(value, key);
    return isNested ? (value as Record<string, unknown>)[key] : undefined;
  }, claims);
}

/** A list, or a text with spaces between (RFC 8693, 4.2). */
function valuesOf(claim: unknown): string[] {
  if (typeof claim === 'string') return claim.split(' ');
  return Array.isArray(claim) ? claim.filter((value) => typeof value === 'string') : [];
}
