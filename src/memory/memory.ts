import { wireTime } from '../catalogue/wire-time.ts';
import type { MemoryReader } from '../store/memory-reader.ts';
import type { MemoryStatus, MemoryVersion, StoredMemory } from '../store/memory-rows.ts';
import { memoryNotFound } from './access.ts';

/** A memory as it is shown; what was not given is left out. */
export function shownMemory(memory: StoredMemory) {
  const { reference, path, memory_type, content, status, version, importance, confidence } = memory;
  const { semantic_key, expires_at } = memory;
  return {
    reference,
    path,
    memory_type,
    content,
    status,
    version,
    importance,
    confidence,
    ...(semantic_key !== null && { semantic_key }),
    metadata: JSON.parse(memory.metadata) as Record<string, unknown>,
    provenance: JSON.parse(memory.provenance) as Record<string, unknown>,
    ...agentBoundary(memory),
    ...(expires_at !== null && { expires_at: wireTime(expires_at) }),
    created_at: wireTime(memory.created_at),
    updated_at: wireTime(memory.updated_at),
  };
}

/** Which agent wrote it, if one said so: attribution, never access. */
export function agentBoundary({ agent_id, agent_instance_id }: StoredMemory) {
  if (agent_id === null && agent_instance_id === null) return {};
  return {
    agent_boundary: {
      ...(agent_id !== null && { agent_id }),
      ...(agent_instance_id !== null && { agent_instance_id }),
    },
  };
}

export function shownVersion({ version, path, memory_type, content, replaced_at }: MemoryVersion) {
  return { version, path, memory_type, content, replaced_at: wireTime(replaced_at) };
}

/**
 * The memory of this reference that is seen with one of the statuses.
 * @throws AppError NotFoundError, the same whether it is another's, gone or never was.
 */
export function find(
  reader: MemoryReader,
  reference: string,
  statuses: readonly MemoryStatus[] = KEPT,
): StoredMemory {
  for (const status of statuses) {
    const memory = reader.get(reference, status);
    if (memory !== undefined) return memory;
  }
  throw memoryNotFound(reference);
}

/** Those that are not deleted. */
const KEPT: readonly MemoryStatus[] = ['active', 'archived'];
export const EVERY_STATUS: readonly MemoryStatus[] = [...KEPT, 'deleted'];
