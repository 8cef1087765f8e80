import type { Config } from '../config.ts';
import { AppError } from '../errors.ts';
import type { Store } from '../store/store.ts';
import type { Authenticator } from './authenticator.ts';
import { ADMIN_SCOPES } from './authorize.ts';
import { generatePassword, verifyPassword } from './passwords.ts';
import { createUser } from './users.ts';

/**
 * Makes the first admin when there are no users: from the settings, or with a generated password.
 * @returns lines for the person who starts the server; the generated password is shown only here.
 */
export async function ensureAdmin(
  store: Store,
  authenticator: Authenticator,
  { adminUser, adminPassword }: Pick<Config, 'adminUser' | 'adminPassword'>,
): Promise<string[]> {
  const users = await store.users.list();
  if (users.length > 0) {
    return adminPassword === undefined
      ? []
      : compare(store, authenticator, adminUser, adminPassword);
  }
  const password = adminPassword ?? generatePassword();
  try {
    const user = await createUser(store, { name: adminUser, password, scopes: ADMIN_SCOPES });
    authenticator.remember(adminUser, password, user);
  } catch (error) {
    // Another process started on the same new file and was first.
    if (error instanceof AppError && error.type === 'ConflictError') return [];
    throw error;
  }
  return adminPassword === undefined
    ? [`First start: user "${adminUser}", password: ${password} (shown only now)`]
    : [`First start: user "${adminUser}" with the password from the settings`];
}

/** The settings make a user only once; later they are compared, so that nobody wonders. */
async function compare(
  store: Store,
  authenticator: Authenticator,
  name: string,
  password: string,
): Promise<string[]> {
  const user = await store.users.get(name);
  if (user === undefined) {
    return [`TOOLCRIB_ADMIN_USER "${name}" does not exist; users exist, so none was made`];
  }
  if (await verifyPassword(password, user.password_hash, { urgent: true })) {
    authenticator.remember(name, password, user);
    return [];
  }
  return [`TOOLCRIB_ADMIN_PASSWORD differs from the password of "${name}", which stays as it is`];
}
