import { authorize, type Principal } from '../auth/authorize.ts';
import { AppError, validationError } from '../errors.ts';
import type { Actor } from '../store/audit-log.ts';
import type { MemoryTransaction } from '../store/memories.ts';
import type { Viewer } from '../store/memory-gate.ts';
import type { Store } from '../store/store.ts';
import { isBelow, MAX_PATH, parsePathFilter, pathFault, spaceOf } from './path-filter.ts';

/** Who looks, and how far a token lets it. A prefix that cannot be read lets nothing through. */
export function viewerOf({ id, token }: Principal): Viewer {
  const readPaths = prefixes(token?.readPaths);
  return readPaths === undefined ? { id } : { id, readPaths };
}

/** A principal in whose place someone with the scope memory:admin acts. */
export interface ActingPrincipal extends Principal {
  by?: Actor;
}

/** Who acts, for the audit log. */
export function actorOf({ id, token, by }: ActingPrincipal): Actor {
  return by ?? { principal: id, token: token?.id ?? '' };
}

/**
 * Who memories are looked at as: the caller, or the owner named, which is noted.
 * @throws AppError AuthorizationError without the scope memory:admin.
 */
export async function actingFor(
  store: Store,
  caller: Principal,
  owner: string | undefined,
): Promise<ActingPrincipal> {
  if (owner === undefined || owner === caller.id) return caller;
  authorize(caller, 'memory:admin');
  const by = actorOf(caller);
  await store.memories.write(({ note }) => note(by, 'memory.admin', owner));
  return { ...caller, id: owner, by };
}

/**
 * A path to write to, in its normal form.
 * @throws AppError ValidationError.
 */
export function parsePath(path: string): string {
  const normal = path.normalize('NFC');
  const fault = pathFault(normal);
  const reason = spaceOf(normal) === '' ? "must name a space behind 'space/'" : fault;
  if (reason === undefined) return normal;
  throw validationError('Invalid request body', [{ field: 'path', reason: `Path ${reason}` }]);
}

/**
 * Whose a memory at this path is, when the principal may write there: its own, or a space's.
 * @throws AppError AuthorizationError; NotFoundError alike for a space that is not there and for
 *   one that the principal is no member of.
 */
export function ownerForWrite(
  { spaces }: Pick<MemoryTransaction, 'spaces'>,
  { id, token }: Principal,
  path: string,
): string {
  const allowed = prefixes(token?.writePaths);
  if (allowed !== undefined && !allowed.some((prefix) => isBelow(path, prefix))) {
    throw new AppError('AuthorizationError', 'This token may not write at this path', {
      field: 'path',
      reason: `Path must be at or below one of ${token?.writePaths?.join(', ') || 'none'}`,
    });
  }
  const name = spaceOf(path);
  if (name === undefined) return id;
  const member = spaces.role(id, name);
  if (member === undefined) throw spaceNotFound(name);
  if (member.role === 'writer') return member.space;
  throw new AppError('AuthorizationError', `Writing in the space '${name}' needs the role writer`, {
    name,
  });
}

export function spaceNotFound(name: string): AppError {
  return new AppError('NotFoundError', `Space '${name.slice(0, MAX_PATH)}' not found`, { name });
}

export function memoryNotFound(reference: string): AppError {
  return new AppError('NotFoundError', `Memory '${reference}' not found`, { reference });
}

function prefixes(given: readonly string[] | undefined): string[] | undefined {
  if (given === undefined) return undefined;
  const parsed: string[] = [];
  for (const text of given) {
    try {
      const path = parsePathFilter(text);
      if (path === undefined && text.trim() === '%') return undefined;
      if (path !== undefined) parsed.push(path);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
    }
  }
  return parsed;
}
