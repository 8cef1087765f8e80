import { hash, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { AppError } from '../errors.ts';
import type { Principal, Scope } from './authorize.ts';
import { parseBasic } from './basic.ts';
import { DUMMY_HASH, verifyPassword } from './passwords.ts';
import { createThrottle } from './throttle.ts';

const VERIFIED_MS = 60_000;
const VERIFIED_PAIRS = 1_000;
const KNOWN_PAIRS = 10_000;
const WINDOW_MS = 60_000;
const WRONG_PER_NAME = 5;
const WRONG_PER_ADDRESS = 30;
const THROTTLE_KEYS = 10_000;
const SEND_BASIC = 'Send Basic credentials in the Authorization header';
const SEND_GOOD = `${SEND_BASIC}: the name of a user, a colon and its password`;

export interface UserCredentials {
  id: string;
  name: string;
  password_hash: string;
  scopes: readonly Scope[];
}

export interface Authenticator {
  /**
   * Who sends this `Authorization` header from this address.
   * @throws AppError AuthenticationError, without a hint at what is wrong; RateLimitError after
   *   too many wrong passwords; ServiceUnavailableError when too many hashes wait.
   */
  authenticate(header: string | undefined, address: string): Promise<Principal>;
  /** The same without a promise, for a pair that was verified a moment ago; undefined for all others. */
  recall(header: string | undefined, address: string): Principal | undefined;
  /** Call after each change of users (of this one, if given): what was verified counts no more. */
  forget(userId?: string): void;
  /** A pair known to be good because this process just set it. */
  remember(name: string, password: string, user: UserCredentials): void;
}

/**
 * Checks Basic credentials without hashing at every request: verified pairs are kept for a minute,
 * equal requests share one hash, and guesses are refused before they cost one. `now` in ms.
 *
 * All that is kept is keyed by a hash with a key of this process and bound to the address it came
 * from. Were it not, someone refused at one address could try passwords at full speed against the
 * pairs kept for a user at another: right ones would be let in, all others cost no hash.
 */
export function createAuthenticator({
  findUser,
  now = () => performance.now(),
}: {
  findUser: (name: string) => Promise<UserCredentials | undefined>;
  now?: () => number;
}): Authenticator {
  const secret = randomBytes(32).toString('base64');
  const verified = new LRUCache<string, { principal: Principal; until: number }>({
    max: VERIFIED_PAIRS,
  });
  // Good pairs pass the throttle, so that a guesser at the same address cannot lock them out. They
  // are good for the password hash that is kept here; a change of the password ends that by itself.
  const known = new LRUCache<string, string>({ max: KNOWN_PAIRS });
  const flights = new Map<string, Promise<Principal>>();
  const throttle = { windowMs: WINDOW_MS, keys: THROTTLE_KEYS, now };
  const byName = createThrottle({ ...throttle, limit: WRONG_PER_NAME });
  const byAddress = createThrottle({ ...throttle, limit: WRONG_PER_ADDRESS });
  let generation = 0;

  // The parts but the last hold no NUL, so no two lists of parts run together into one text.
  function mac(...parts: string[]): string {
    return hash('sha256', `${secret}${parts.join('\0')}`, 'base64');
  }

  async function verify(key: string, header: string, address: string): Promise<Principal> {
    const credentials = parseBasic(header);
    if (credentials === undefined) throw refused('Invalid credentials');
    const { name, password } = credentials;
    const since = generation;
    const here = mac(address, name, password);
    const anywhere = mac('', name, password);
    const triesKey = mac(address, name);
    const takeBack: (() => void)[] = [];
    let wrong = false;

    function take(): void {
      byAddress.check(address);
      takeBack.push(byName.take(triesKey));
    }

    try {
      const good = [known.get(here), known.get(anywhere)].filter((hash) => hash !== undefined);
      if (good.length === 0) take();
      const user = await findUser(name);
      const exempt = user !== undefined && good.includes(user.password_hash);
      if (good.length > 0 && !exempt) take();
      const matches = await verifyPassword(password, user?.password_hash ?? DUMMY_HASH, {
        urgent: exempt,
        // Not counted before its turn: many good users may arrive from one gateway together.
        admit: () => {
          if (!exempt) takeBack.push(byAddress.take(address));
        },
      });
      if (user === undefined || !matches) {
        wrong = true;
        throw refused('Invalid credentials');
      }
      byName.clear(triesKey);
      const { id, password_hash, scopes } = user;
      known.set(here, password_hash);
      if (known.get(anywhere) === password_hash) known.delete(anywhere);
      const principal = Object.freeze({ id, name: user.name, scopes });
      // Users changed while the hash ran: the answer was right when asked, but may not be kept.
      if (generation === since) verified.set(key, { principal, until: now() + VERIFIED_MS });
      return principal;
    } finally {
      if (!wrong) for (const undo of takeBack) undo();
    }
  }

  function recallKey(key: string): Principal | undefined {
    const hit = verified.get(key);
    return hit !== undefined && now() < hit.until ? hit.principal : undefined;
  }

  return {
    recall: (header, address) =>
      header === undefined ? undefined : recallKey(mac(address, header)),

    authenticate(header, address) {
      if (header === undefined)
        return Promise.reject(refused('Authentication required', SEND_BASIC));
      const key = mac(address, header);
      const hit = recallKey(key);
      if (hit !== undefined) return Promise.resolve(hit);
      const running = flights.get(key);
      if (running !== undefined) return running;
      const flight = verify(key, header, address).finally(() => {
        if (flights.get(key) === flight) flights.delete(key);
      });
      flights.set(key, flight);
      return flight;
    },

    forget(userId) {
      generation += 1;
      // Whoever asks from now on must not be given the answer to an older question.
      flights.clear();
      if (userId === undefined) verified.clear();
      for (const [key, { principal }] of verified) {
        if (principal.id === userId) verified.delete(key);
      }
    },

    // Good from any address until it is first used from one.
    remember(name, password, { password_hash }) {
      known.set(mac('', name, password), password_hash);
    },
  };
}

/** One text for whatever was wrong: none must tell whether the name exists. */
function refused(message: string, reason = SEND_GOOD): AppError {
  return new AppError('AuthenticationError', message, { reason });
}
