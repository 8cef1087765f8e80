import type { Store } from '../store/store.ts';
import type { UserRecord } from '../store/users.ts';
import type { Authenticator } from './authenticator.ts';

/** Above this, forgetting everyone costs less than forgetting each. */
const MAX_SINGLE = 100;

/** When it resolves, the authenticator has forgotten whoever changed; undefined when nobody did. */
type FollowUsers = () => Promise<void> | undefined;

/**
 * Makes a function to call before each authentication: after it, the authenticator has forgotten
 * every user that was added, changed or removed since the last call, also by another process, and
 * keeps all others. Mostly there is nothing to wait for, and no promise.
 */
export function followUsers(
  store: Pick<Store, 'users' | 'versions'>,
  authenticator: Pick<Authenticator, 'forget'>,
): FollowUsers {
  let seen: number | undefined;
  let prints: ReadonlyMap<string, string> = new Map();
  let running: Promise<void> | undefined;

  async function compare(): Promise<void> {
    // Read first: a change while the list is read raises it, and is found by the next look.
    const version = store.versions().users;
    const users = await store.users.list();
    const current = new Map(users.map((user) => [user.id, fingerprint(user)]));
    const changed = new Set([...prints.keys(), ...current.keys()]);
    for (const id of changed) if (prints.get(id) === current.get(id)) changed.delete(id);
    if (changed.size > MAX_SINGLE) authenticator.forget();
    else for (const id of changed) authenticator.forget(id);
    prints = current;
    seen = version;
  }

  async function catchUp(): Promise<void> {
    while (store.versions().users !== seen) {
      running ??= compare().finally(() => {
        running = undefined;
      });
      await running;
    }
  }

  return () => (store.versions().users === seen ? undefined : catchUp());
}

/** The time is part of it: scopes that were changed and changed back must not look untouched. */
function fingerprint({ password_hash, scopes, updated_at }: UserRecord): string {
  return `${updated_at} ${scopes.join()} ${password_hash}`;
}
