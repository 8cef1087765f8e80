import type { Principal } from '../auth/authorize.ts';
import type { MemoryTransaction } from '../store/memories.ts';
import type { MemoryStatus, MemoryValues, StoredMemory } from '../store/memory-rows.ts';
import type { Store } from '../store/store.ts';
import { actorOf, ownerForWrite, viewerOf } from './access.ts';
import { EVERY_STATUS, find } from './memory.ts';
import { type GivenMemory, memoryValues, parseContent, type SecretsPolicy } from './values.ts';

/** How much is forgotten: it can be restored, or nothing of it is left, or only that it was there. */
export const FORGET_MODES = ['soft', 'hard', 'redact'] as const;
export type ForgetMode = (typeof FORGET_MODES)[number];

const REDACTED = '[REDACTED]';

/** What an update may change; null takes a value away, what is left out stays. */
export type MemoryChanges = Partial<GivenMemory> & {
  status?: Exclude<MemoryStatus, 'deleted'> | undefined;
};

/**
 * Changes a memory; what was there before is kept as a version. Without a change nothing is written.
 * @throws AppError ValidationError, AuthorizationError, NotFoundError.
 */
export async function updateMemory(
  store: Store,
  principal: Principal,
  reference: string,
  { status, ...changes }: MemoryChanges,
  secrets: SecretsPolicy,
): Promise<StoredMemory> {
  return store.memories.write((transaction) => {
    const { writer, now } = transaction;
    const old = find(transaction.reader(viewerOf(principal)), reference);
    ownerForWrite(transaction, principal, old.path);
    const values = changedValues(old, changes, secrets, now);
    const owner = ownerForWrite(transaction, principal, values.path);
    const after = { ...values, status: status ?? old.status };
    const isSame = (Object.keys(after) as (keyof typeof after)[]).every(
      (key) => old[key] === after[key],
    );
    if (isSame) return old;
    const memory = writer.update(old, owner, after, now);
    const { version } = memory;
    transaction.note(actorOf(principal), 'memory.update', reference, { version });
    return memory;
  });
}

/** Given values in the place of the old ones; a new content has the old type unless one is given. */
function changedValues(
  old: StoredMemory,
  changes: Partial<GivenMemory>,
  secrets: SecretsPolicy,
  now: number,
): MemoryValues {
  const given = Object.fromEntries(
    Object.entries(changes).filter(([, value]) => value !== undefined),
  ) as Partial<GivenMemory>;
  const checked = memoryValues(
    { content: old.content, path: old.path, memory_type: old.memory_type, ...given },
    secrets,
    now,
  );
  const values = Object.keys(checked).map((name) => {
    const key = name as keyof MemoryValues;
    return [key, key in given ? checked[key] : old[key]];
  });
  return Object.fromEntries(values) as MemoryValues;
}

/**
 * Forgets exactly this memory. `soft` hides it until it is restored; after `hard` nothing of it is
 * in the store but that it was forgotten; `redact` puts `replacement` in the place of its content
 * and erases its former versions, metadata and provenance.
 * @throws AppError ValidationError, AuthorizationError, NotFoundError.
 */
export async function forget(
  store: Store,
  principal: Principal,
  reference: string,
  { mode = 'soft', replacement }: { mode?: ForgetMode; replacement?: string | undefined } = {},
): Promise<StoredMemory> {
  const text = parseContent(replacement ?? REDACTED, 'mask');
  const memory = await store.memories.write((transaction) => {
    const reader = transaction.reader(viewerOf(principal));
    const old = find(reader, reference, mode === 'soft' ? undefined : EVERY_STATUS);
    ownerForWrite(transaction, principal, old.path);
    transaction.note(actorOf(principal), 'memory.forget', reference, { mode });
    return forgotten(transaction, old, mode, text);
  });
  if (mode !== 'soft') await store.memories.sweep();
  return memory;
}

function forgotten(
  { writer, now }: MemoryTransaction,
  old: StoredMemory,
  mode: ForgetMode,
  replacement: string,
): StoredMemory {
  if (mode === 'soft') return writer.setStatus(old, 'deleted', now);
  if (mode === 'redact') return writer.redact(old, replacement, now);
  writer.erase(old);
  return { ...old, status: 'deleted' };
}

/**
 * Brings a softly forgotten memory back.
 * @throws AppError AuthorizationError, NotFoundError.
 */
export async function restoreMemory(
  store: Store,
  principal: Principal,
  reference: string,
): Promise<StoredMemory> {
  return store.memories.write((transaction) => {
    const old = find(transaction.reader(viewerOf(principal)), reference, ['deleted']);
    ownerForWrite(transaction, principal, old.path);
    transaction.note(actorOf(principal), 'memory.restore', reference);
    return transaction.writer.setStatus(old, 'active', transaction.now);
  });
}
