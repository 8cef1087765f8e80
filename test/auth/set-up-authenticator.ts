import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { mock } from 'node:test';
import { createAuthenticator, type UserCredentials } from '../../src/auth/authenticator.ts';
import { AppError } from '../../src/errors.ts';
import { cheapHash } from './cheap-hash.ts';

/** Only watched: counts the hashes and tells what they cost. */
export const argon2 = mock.method(crypto, 'argon2');
syncBuiltinESMExports();

export const HERE = '192.0.2.1';
export const THERE = '192.0.2.2';
export const WRONG = 'AuthenticationError';

export function user(name: string, password: string): UserCredentials {
  return { id: `id-${name}`, name, password_hash: cheapHash(password), scopes: ['tools:read'] };
}

export function basic(name: string, password: string): string {
  return `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;
}

/** An authenticator over these users and a clock that stands at 0 ms. */
export function setUpAuthenticator(...list: UserCredentials[]) {
  const users = new Map(list.map((each) => [each.name, each]));
  const clock = { ms: 0 };
  const authenticator = createAuthenticator({
    findUser: async (name) => users.get(name),
    now: () => clock.ms,
  });
  argon2.mock.resetCalls();
  /** 'ok', or the error's type; with the seconds to wait when there are any. */
  async function attempt(header: string | undefined, address = HERE): Promise<string> {
    try {
      await authenticator.authenticate(header, address);
      return 'ok';
    } catch (error) {
      assert(error instanceof AppError, String(error));
      return error.retryAfter === undefined ? error.type : `${error.type} ${error.retryAfter}`;
    }
  }
  async function guess(times: number, name: string, address = HERE): Promise<string[]> {
    const outcomes: string[] = [];
    for (let i = 0; i < times; i += 1) {
      outcomes.push(await attempt(basic(name, `guess ${i}`), address));
    }
    return outcomes;
  }
  return { users, clock, authenticator, attempt, guess, hashes: () => argon2.mock.callCount() };
}

export function times<T>(count: number, value: T): T[] {
  return Array.from({ length: count }, () => value);
}
