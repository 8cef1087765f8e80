/** What kinds of memories there are. */
export const MEMORY_TYPES = ['semantic', 'episodic', 'procedural', 'working', 'identity'] as const;
export type MemoryType = (typeof MEMORY_TYPES)[number];

/** Only active ones are searched; deleted ones can be restored. */
export const MEMORY_STATUSES = ['active', 'archived', 'deleted'] as const;
export type MemoryStatus = (typeof MEMORY_STATUSES)[number];

/** What a writer says of a memory; times in milliseconds, JSON as text, null where nothing was said. */
export interface MemoryValues {
  path: string;
  memory_type: MemoryType;
  content: string;
  /** 0 to 1. */
  importance: number;
  confidence: number;
  semantic_key: string | null;
  agent_id: string | null;
  agent_instance_id: string | null;
  expires_at: number | null;
  /** A JSON object each. */
  metadata: string;
  provenance: string;
}

/** A memory as kept. */
export interface StoredMemory extends MemoryValues {
  id: number;
  /** Opaque, for the outside. */
  reference: string;
  /** memory_owners.id and memory_paths.id */
  owner: number;
  path_id: number;
  status: MemoryStatus;
  /** 1, and one more with each update. */
  version: number;
  created_at: number;
  updated_at: number;
}

/** What an update replaced. */
export interface MemoryVersion {
  version: number;
  path: string;
  memory_type: MemoryType;
  content: string;
  replaced_at: number;
}
