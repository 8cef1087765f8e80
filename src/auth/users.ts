import { randomBytes } from 'node:crypto';
import { AppError, validationError } from '../errors.ts';
import type { Store } from '../store/store.ts';
import type { UserRecord } from '../store/users.ts';
import type { Scope } from './authorize.ts';
import { hashPassword, passwordFault } from './passwords.ts';

const MAX_USERS = 10_000;

export function userNotFound(name: string): AppError {
  return new AppError('NotFoundError', `User '${name}' not found`, { name });
}

/** @throws AppError ValidationError (password), ConflictError (name taken, too many users). */
export async function createUser(
  store: Store,
  user: { name: string; password: string; scopes: readonly Scope[] },
): Promise<UserRecord> {
  const password_hash = await hashNewPassword(user.password);
  const now = Date.now();
  const put: UserRecord = {
    id: `usr-${randomBytes(16).toString('hex')}`,
    name: user.name,
    password_hash,
    scopes: [...user.scopes],
    created_at: now,
    updated_at: now,
  };
  return store.users.change((users) => {
    if (users.some(({ name }) => name === user.name)) {
      throw new AppError('ConflictError', `A user named '${user.name}' exists`, { field: 'name' });
    }
    if (users.length >= MAX_USERS) throw new AppError('ConflictError', 'There are too many users');
    return { put, result: put };
  });
}

/** @throws AppError NotFoundError, ConflictError when no admin would be left. */
export async function setScopes(
  store: Store,
  name: string,
  scopes: readonly Scope[],
): Promise<UserRecord> {
  return store.users.change((users) => {
    const user = find(users, name);
    const put = { ...user, scopes: [...scopes], updated_at: Date.now() };
    if (!scopes.includes('admin')) assertOtherAdmin(users, user);
    return { put, result: put };
  });
}

/** @throws AppError ValidationError (password), NotFoundError. */
export async function setPassword(
  store: Store,
  name: string,
  password: string,
): Promise<UserRecord> {
  const password_hash = await hashNewPassword(password);
  return store.users.change((users) => {
    const put = { ...find(users, name), password_hash, updated_at: Date.now() };
    return { put, result: put };
  });
}

/** @throws AppError NotFoundError, ConflictError when no admin would be left. */
export async function removeUser(store: Store, name: string): Promise<UserRecord> {
  return store.users.change((users) => {
    const user = find(users, name);
    assertOtherAdmin(users, user);
    return { remove: user, result: user };
  });
}

function find(users: readonly UserRecord[], name: string): UserRecord {
  const user = users.find((candidate) => candidate.name === name);
  if (user === undefined) throw userNotFound(name);
  return user;
}

function assertOtherAdmin(users: readonly UserRecord[], user: UserRecord): void {
  const admins = users.filter(({ scopes }) => scopes.includes('admin'));
  if (admins.length === 1 && admins[0]?.id === user.id) {
    throw new AppError('ConflictError', `'${user.name}' is the last user with the scope 'admin'`, {
      name: user.name,
    });
  }
}

async function hashNewPassword(password: string): Promise<string> {
  const fault = passwordFault(password);
  if (fault !== undefined) {
    throw validationError('Invalid request body', [
      { field: 'password', reason: `Password ${fault}` },
    ]);
  }
  return hashPassword(password);
}
