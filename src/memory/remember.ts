import { createHash, randomBytes } from 'node:crypto';
import type { Principal } from '../auth/authorize.ts';
import { AppError } from '../errors.ts';
import type { MemoryTransaction } from '../store/memories.ts';
import { contentFacts } from '../store/memory-facts.ts';
import type { MemoryReader } from '../store/memory-reader.ts';
import type { MemoryValues, StoredMemory } from '../store/memory-rows.ts';
import type { MemoryRequest } from '../store/memory-writes.ts';
import type { Store } from '../store/store.ts';
import { actorOf, ownerForWrite, viewerOf } from './access.ts';
import { type GivenMemory, memoryValues, type SecretsPolicy } from './values.ts';

/** Opaque, 100 random bits. */
const REFERENCE_CHARACTERS = 20;

export interface MemoryToRemember extends GivenMemory {
  /** Whether an equal memory at the same path is taken for this one (true). */
  dedupe?: boolean | undefined;
  /** Makes it safe to send again. */
  idempotency_key?: string | undefined;
}

/** `duplicate`: it was known, and nothing or only its expiry changed. */
export type RememberOutcome = 'created' | 'updated' | 'duplicate';

export interface Remembered {
  outcome: RememberOutcome;
  memory: StoredMemory;
}

/**
 * Remembers a content at a path, on disk when it resolves: in the place of the memory with the same
 * `semantic_key` there, else not twice, else as a new one. Only memories that the principal may read
 * count as known, so that writing tells nothing of others.
 * @throws AppError ValidationError, AuthorizationError, NotFoundError (space), ConflictError (the
 *   idempotency key came with something else).
 */
export async function remember(
  store: Store,
  principal: Principal,
  { dedupe = true, idempotency_key, ...given }: MemoryToRemember,
  secrets: SecretsPolicy,
): Promise<Remembered> {
  const values = memoryValues(given, secrets, Date.now());
  const request = idempotency_key && requestOf(principal, idempotency_key, { dedupe, ...given });
  return store.memories.write((transaction) => {
    const reader = transaction.reader(viewerOf(principal));
    const owner = ownerForWrite(transaction, principal, values.path);
    const former = request && formerResult(transaction, reader, request);
    if (former) return former;
    const result = put(transaction, reader, owner, values, dedupe);
    const { outcome, memory } = result;
    if (request) transaction.writer.noteRequest(request, memory.id, transaction.now);
    transaction.note(actorOf(principal), 'memory.remember', memory.reference, {
      outcome,
      version: memory.version,
    });
    return result;
  });
}

function put(
  { writer, now }: MemoryTransaction,
  reader: MemoryReader,
  owner: string,
  values: MemoryValues,
  dedupe: boolean,
): Remembered {
  const { path, semantic_key } = values;
  const keyed = semantic_key === null ? undefined : reader.findEqual(path, { key: semantic_key });
  if (keyed !== undefined) {
    if (isSame(keyed, values)) return { outcome: 'duplicate', memory: keyed };
    const status = keyed.status;
    return { outcome: 'updated', memory: writer.update(keyed, owner, { ...values, status }, now) };
  }
  const equal =
    dedupe && semantic_key === null
      ? reader.findEqual(path, { hash: contentFacts(values.content).hash })
      : undefined;
  if (equal !== undefined) {
    return { outcome: 'duplicate', memory: writer.prolong(equal, values.expires_at) };
  }
  return { outcome: 'created', memory: writer.insert(owner, newReference(), values, now) };
}

/** What the same request did when it came before. */
function formerResult(
  { writer }: MemoryTransaction,
  reader: MemoryReader,
  request: MemoryRequest,
): Remembered | undefined {
  const former = writer.findRequest(request);
  if (former === undefined) return undefined;
  const memory = reader.get(former.reference) ?? reader.get(former.reference, 'archived');
  if (!former.body.equals(request.body) || memory === undefined) {
    throw new AppError('ConflictError', 'The idempotency key was used for something else', {
      field: 'idempotency_key',
      reason: 'Idempotency key must be new, or come with what it came with before',
    });
  }
  return { outcome: 'duplicate', memory };
}

/** Hashes only: what is erased must not stay here. */
function requestOf({ id, token }: Principal, key: string, asked: object): MemoryRequest {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return {
    principal: id,
    token: token?.id ?? '',
    key: hash(key),
    body: hash(JSON.stringify(asked)),
  };
}

function isSame(memory: StoredMemory, values: MemoryValues): boolean {
  return (Object.keys(values) as (keyof MemoryValues)[]).every(
    (key) => memory[key] === values[key],
  );
}

function newReference(): string {
  const letters = 'abcdefghijklmnopqrstuvwxyz234567';
  const bytes = randomBytes(REFERENCE_CHARACTERS);
  return `mem-${Array.from(bytes, (byte) => letters[byte & 31]).join('')}`;
}
