import { type Fault, validationError } from '../errors.ts';
import { maskSecrets } from '../mask-secrets.ts';
import { parseRfc3339 } from '../rfc3339-time.ts';
import type { MemoryValues } from '../store/memory-rows.ts';
import { parsePath } from './access.ts';
import { storedType, type WrittenType } from './types.ts';

export const MAX_CONTENT = 50_000;
const MAX_DETAILS_BYTES = 16 * 1024;

/** What becomes of text that looks like a credential: masked, or the write refused. */
export type SecretsPolicy = 'mask' | 'refuse';

/** What a client says of a memory. */
export interface GivenMemory {
  content: string;
  path: string;
  memory_type?: WrittenType | undefined;
  importance?: number | undefined;
  confidence?: number | undefined;
  semantic_key?: string | null | undefined;
  agent_id?: string | null | undefined;
  agent_instance_id?: string | null | undefined;
  /** RFC 3339. */
  expires_at?: string | null | undefined;
  metadata?: Record<string, unknown> | undefined;
  provenance?: Record<string, unknown> | undefined;
}

/**
 * The values as they are kept.
 * @throws AppError ValidationError.
 */
export function memoryValues(
  given: GivenMemory,
  secrets: SecretsPolicy,
  now: number,
): MemoryValues {
  const content = parseContent(given.content, secrets);
  const expires_at = given.expires_at == null ? null : parseExpiry(given.expires_at, now);
  return {
    path: parsePath(given.path),
    content,
    memory_type: storedType(given.memory_type ?? 'auto', content, expires_at !== null),
    importance: given.importance ?? 0.5,
    confidence: given.confidence ?? 1,
    semantic_key: given.semantic_key ?? null,
    agent_id: given.agent_id ?? null,
    agent_instance_id: given.agent_instance_id ?? null,
    expires_at,
    metadata: detailsText('metadata', given.metadata, secrets),
    provenance: detailsText('provenance', given.provenance, secrets),
  };
}

/** @throws AppError ValidationError: blank, too long, or a credential that is to be refused. */
export function parseContent(text: string, secrets: SecretsPolicy): string {
  if (text.trim() === '') throw fault('content', 'Content must not be blank');
  // In code points; a text has at most twice as many units.
  if (
    text.length > MAX_CONTENT &&
    (text.length > 2 * MAX_CONTENT || [...text].length > MAX_CONTENT)
  )
    throw fault('content', `Content must have at most ${MAX_CONTENT} characters`);
  return withoutSecrets('content', text, secrets);
}

/** @throws AppError ValidationError: no such day, or not in the future. */
function parseExpiry(text: string, now: number): number {
  const time = parseRfc3339(text);
  if (time === undefined) throw fault('expires_at', 'Expires at must be a day that exists');
  if (time <= now) throw fault('expires_at', 'Expires at must be in the future');
  return time;
}

function withoutSecrets(field: string, text: string, secrets: SecretsPolicy): string {
  const masked = maskSecrets(text);
  if (secrets === 'refuse' && masked !== text) {
    throw fault(field, 'What looks like a credential must be left out');
  }
  return masked;
}

/** @throws AppError ValidationError. */
function detailsText(
  field: 'metadata' | 'provenance',
  details: Record<string, unknown> = {},
  secrets: SecretsPolicy,
): string {
  const masked = maskStrings(details, (text) => withoutSecrets(field, text, secrets));
  const json = JSON.stringify(masked);
  if (Buffer.byteLength(json) > MAX_DETAILS_BYTES) {
    throw fault(field, `${field} must have at most ${MAX_DETAILS_BYTES / 1024} KiB as JSON`);
  }
  return json;
}

/** A copy with each text inside changed; bodies are not nested deeply. */
function maskStrings(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === 'string') return mask(value);
  if (Array.isArray(value)) return value.map((item) => maskStrings(item, mask));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, maskStrings(item, mask)]),
  );
}

function fault(field: string, reason: string) {
  const faults: Fault[] = [{ field, reason }];
  return validationError('Invalid request body', faults);
}
