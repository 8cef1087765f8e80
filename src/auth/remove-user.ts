import { AppError, validationError } from '../errors.ts';
import type { Actor } from '../store/audit-log.ts';
import type { MemoryFate } from '../store/memories.ts';
import type { Store } from '../store/store.ts';
import type { UserRecord } from '../store/users.ts';
import { COMMAND_LINE } from './actor.ts';
import { assertOtherAdmin, findUser, userNotFound } from './users.ts';

/** What may become of the memories of a user that is removed. */
export const MEMORY_FATES = ['keep', 'transfer', 'erase'] as const;

export interface MemoryChoice {
  memories?: (typeof MEMORY_FATES)[number];
  /** The name of the user that gets them, with `transfer`. */
  to?: string;
}

/** Memories of one transaction: others have their turns between. */
const PER_STEP = 100;

/**
 * Removes a user with its tokens and memberships of spaces. Who has memories is removed only with a
 * word on what becomes of them: kept as they are (for the scope memory:admin), given to another
 * user, or erased. They go by the hundred before the user does, so that a removal that was cut off
 * goes on when it is asked for again.
 * @throws AppError NotFoundError, ValidationError (`to`), ConflictError when no admin would be left
 *   or when nothing is said of memories that are there.
 */
export async function removeUser(
  store: Store,
  name: string,
  choice: MemoryChoice = {},
  actor: Actor = COMMAND_LINE,
): Promise<UserRecord> {
  const users = await store.users.list();
  const { id } = findUser(users, name);
  const fate = fateOf(users, name, choice);
  for (;;) {
    const removed = await store.users.change((current, ownsMemories) => {
      const user = findUser(current, name);
      // Another has the name by now.
      if (user.id !== id) throw userNotFound(name);
      assertOtherAdmin(current, user);
      if (choice.memories !== 'keep' && ownsMemories(id)) {
        if (fate === undefined) throw hasMemories(name);
        return { result: undefined };
      }
      const act = { ...actor, at: Date.now(), action: 'user.remove', subject: id };
      return { remove: user, act, result: user };
    });
    if (removed !== undefined) return removed;
    if (fate !== undefined) await settleMemories(store, id, fate, actor);
  }
}

/** Erases or gives away all memories of a user, step by step. */
async function settleMemories(
  store: Store,
  user: string,
  fate: MemoryFate,
  actor: Actor,
): Promise<void> {
  let count: number;
  do {
    count = await store.memories.write(({ settle, note }) => {
      const settled = settle(user, fate, PER_STEP);
      const details = fate === 'erase' ? { settled } : { settled, to: fate.to };
      note(actor, fate === 'erase' ? 'memory.erase' : 'memory.transfer', user, details);
      return settled;
    });
  } while (count === PER_STEP);
  if (fate === 'erase') await store.memories.sweep();
}

function fateOf(
  users: readonly UserRecord[],
  name: string,
  { memories, to }: MemoryChoice,
): MemoryFate | undefined {
  if (memories !== 'transfer') {
    if (to !== undefined) throw toFault('is only for `memories=transfer`');
    return memories === 'erase' ? 'erase' : undefined;
  }
  if (to === undefined) throw toFault('must be the name of the user that gets the memories');
  const receiver = users.find((user) => user.name === to && to !== name);
  if (receiver === undefined) throw toFault('must be the name of another user');
  return { to: receiver.id };
}

function toFault(reason: string): AppError {
  return validationError('Invalid query parameters', [{ field: 'to', reason: `To ${reason}` }]);
}

function hasMemories(name: string): AppError {
  const message = `User '${name}' has memories: say by \`memories\` what becomes of them: ${MEMORY_FATES.join(', ')}`;
  return new AppError('ConflictError', message, {
    field: 'memories',
    allowed: [...MEMORY_FATES],
  });
}
