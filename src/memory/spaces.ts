import { randomBytes } from 'node:crypto';
import type { Principal } from '../auth/authorize.ts';
import { wireTime } from '../catalogue/wire-time.ts';
import { AppError, validationError } from '../errors.ts';
import type { Space, SpaceMember } from '../store/spaces.ts';
import type { Store } from '../store/store.ts';
import { actorOf, spaceNotFound } from './access.ts';

export function shownSpace({ id, name, members, created_at }: Space) {
  return { space_id: id, name, members, created_at: wireTime(created_at) };
}

/** The spaces that a principal is in; with the scope admin, all of them. */
export function listSpaces(store: Store, { id, scopes }: Principal): Promise<Space[]> {
  const member = scopes.includes('admin') ? undefined : id;
  return store.memories.readSpaces((spaces) => spaces.list(member));
}

/** @throws AppError ConflictError (name taken), ValidationError (a member twice). */
export async function createSpace(
  store: Store,
  by: Principal,
  { name, members }: { name: string; members: readonly SpaceMember[] },
): Promise<Space> {
  assertDistinct(members);
  return store.memories.write(({ spaces, note, now }) => {
    if (spaces.get(name) !== undefined) {
      throw new AppError('ConflictError', `A space named '${name}' exists`, { field: 'name' });
    }
    const space = { id: `spc-${randomBytes(16).toString('hex')}`, name, created_at: now };
    spaces.insert(space);
    spaces.setMembers(space.id, members);
    note(actorOf(by), 'space.create', space.id);
    return { ...space, members: [...members] };
  });
}

/** Puts other members in the place of a space's. @throws AppError NotFoundError, ValidationError. */
export async function setMembers(
  store: Store,
  by: Principal,
  name: string,
  members: readonly SpaceMember[],
): Promise<Space> {
  assertDistinct(members);
  return store.memories.write(({ spaces, note }) => {
    const space = spaces.get(name);
    if (space === undefined) throw spaceNotFound(name);
    spaces.setMembers(space.id, members);
    note(actorOf(by), 'space.update', space.id, { members: members.length });
    return { ...space, members: [...members] };
  });
}

/** Removes a space and erases its memories. @throws AppError NotFoundError. */
export async function removeSpace(store: Store, by: Principal, name: string): Promise<Space> {
  const removed = await store.memories.write(({ spaces, note, settle }) => {
    const space = spaces.get(name);
    if (space === undefined) throw spaceNotFound(name);
    const memories = settle(space.id, 'erase');
    spaces.remove(space.id);
    note(actorOf(by), 'space.remove', space.id, { memories });
    return space;
  });
  await store.memories.sweep();
  return removed;
}

function assertDistinct(members: readonly SpaceMember[]): void {
  const seen = new Set(members.map(({ principal }) => principal));
  if (seen.size === members.length) return;
  throw validationError('Invalid request body', [
    { field: 'members', reason: 'Members must not repeat a principal' },
  ]);
}
