import { randomBytes } from 'node:crypto';
import { wireTime } from '../catalogue/wire-time.ts';
import { AppError, validationError } from '../errors.ts';
import type { Actor, AuditEntry } from '../store/audit-log.ts';
import type { Store } from '../store/store.ts';
import type { UserRecord } from '../store/users.ts';
import { actorOf, COMMAND_LINE } from './actor.ts';
import type { Authenticator } from './authenticator.ts';
import { authorize, type Principal, type Scope } from './authorize.ts';
import { hashPassword, passwordFault, verifyPassword } from './passwords.ts';

const MAX_USERS = 10_000;

export function userNotFound(name: string): AppError {
  return new AppError('NotFoundError', `User '${name}' not found`, { name });
}

/** A user as it is shown to people, without its password's hash. */
export function shown({ id, name, scopes, created_at, updated_at }: UserRecord) {
  return {
    user_id: id,
    name,
    scopes,
    created_at: wireTime(created_at),
    updated_at: wireTime(updated_at),
  };
}

/** @throws AppError ValidationError (password), ConflictError (name taken, too many users). */
export async function createUser(
  store: Store,
  user: { name: string; password: string; scopes: readonly Scope[] },
  actor: Actor = COMMAND_LINE,
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
    return { put, act: act(actor, 'user.create', put, put.scopes), result: put };
  });
}

/** @throws AppError NotFoundError, ConflictError when no admin would be left. */
export async function setScopes(
  store: Store,
  name: string,
  scopes: readonly Scope[],
  actor: Actor = COMMAND_LINE,
): Promise<UserRecord> {
  return store.users.change((users) => {
    const user = findUser(users, name);
    const put = { ...user, scopes: [...scopes], updated_at: Date.now() };
    if (!scopes.includes('admin')) assertOtherAdmin(users, user);
    return { put, act: act(actor, 'user.scopes', put, scopes), result: put };
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
    const put = { ...findUser(users, name), password_hash, updated_at: Date.now() };
    return { put, act: act(COMMAND_LINE, 'user.password', put), result: put };
  });
}

/**
 * One's own password with the current one; with the scope admin, anyone's. Hashing takes a while:
 * the user that was looked at is the one that is written, not whoever has the name by then.
 * @throws AppError ValidationError, AuthorizationError, NotFoundError.
 */
export async function changePassword(
  store: Store,
  authenticator: Pick<Authenticator, 'remember'>,
  caller: Principal,
  name: string,
  change: { password: string; current_password?: string },
): Promise<UserRecord> {
  const seen = await store.users.get(name);
  authorize(caller, 'admin', { owner: seen?.id });
  if (seen === undefined) throw userNotFound(name);
  const own = seen.id === caller.id;
  if (own) await assertCurrentPassword(seen, change.current_password);
  const password_hash = await hashNewPassword(change.password);
  const changed = await store.users.change((users) => {
    const user = findUser(users, name);
    if (user.id !== seen.id) throw userNotFound(name);
    if (own && user.password_hash !== seen.password_hash) throw wrongCurrentPassword();
    const put = { ...user, password_hash, updated_at: Date.now() };
    return { put, act: act(actorOf(caller), 'user.password', put), result: put };
  });
  authenticator.remember(name, change.password, changed);
  return changed;
}

/** A change of a user as the audit log notes it. */
function act(
  actor: Actor,
  action: string,
  { id }: UserRecord,
  scopes?: readonly Scope[],
): AuditEntry {
  const details = scopes && { scopes: scopes.join() };
  return { ...actor, at: Date.now(), action, subject: id, ...(details && { details }) };
}

/** @throws AppError NotFoundError. */
export function findUser(users: readonly UserRecord[], name: string): UserRecord {
  const user = users.find((candidate) => candidate.name === name);
  if (user === undefined) throw userNotFound(name);
  return user;
}

/**
 * Basic proves the password with every request, but a browser that learned it sends it unasked:
 * also for whoever finds it unattended, or for another site. They do not know the password.
 * A wrong one is not counted: the caller has just sent the right one, so guessing here tells
 * nothing new, and each guess costs a hash.
 */
async function assertCurrentPassword(
  { password_hash }: UserRecord,
  current: string | undefined,
): Promise<void> {
  if (current === undefined) {
    throw validationError('Invalid request body', [
      { field: 'current_password', reason: "Current password is required to change one's own" },
    ]);
  }
  if (!(await verifyPassword(current, password_hash, { urgent: true }))) {
    throw wrongCurrentPassword();
  }
}

function wrongCurrentPassword(): AppError {
  return new AppError('AuthorizationError', 'The current password is wrong', {
    field: 'current_password',
  });
}

/** @throws AppError ConflictError when no admin would be left without this user. */
export function assertOtherAdmin(users: readonly UserRecord[], user: UserRecord): void {
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
