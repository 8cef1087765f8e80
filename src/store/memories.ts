import sql from 'sql-template-tag';
import { AppError } from '../errors.ts';
import { type Actor, noteAct } from './audit-log.ts';
import { createCommitQueue } from './commit-queue.ts';
import type { Connection } from './database.ts';
import { everyMemory, type Viewer } from './memory-gate.ts';
import { createMemoryReader, type MemoryReader } from './memory-reader.ts';
import type { StoredMemory } from './memory-rows.ts';
import { createMemoryWriter, type MemoryWriter } from './memory-writes.ts';
import { createSpaceTables } from './spaces.ts';
import { DAY_MS } from './usage-sums.ts';

/** How long a request to remember is known again. */
const REQUESTS_MS = 30 * DAY_MS;
/** Writes that share a transaction. */
const MAX_WRITES_PER_COMMIT = 64;
const MAX_PER_STEP = 200;

/** What a write of memories works with, all in one transaction at one moment (ms). */
export interface MemoryTransaction {
  now: number;
  reader: (viewer: Viewer) => MemoryReader;
  writer: MemoryWriter;
  spaces: ReturnType<typeof createSpaceTables>;
  /** Gives away or erases up to `limit` of an owner's memories. */
  settle(owner: string, fate: MemoryFate, limit?: number): number;
  /** Notes who did what to which memory or space. */
  note(
    actor: Actor,
    action: string,
    subject: string,
    details?: Readonly<Record<string, string | number | boolean>>,
  ): void;
}

type Outcome = { result: unknown } | { error: unknown };

/** Memories, their spaces, and who may see them. */
export function createMemoryStore(db: Connection) {
  const writer = createMemoryWriter(db);
  const spaces = createSpaceTables(db);
  // Also of a process before this one.
  let needsSweep = true;
  const queue = createCommitQueue<(now: number) => unknown, Outcome>(db, {
    weightOf: () => 1,
    maxWeight: MAX_WRITES_PER_COMMIT,
    writeAll(works) {
      const now = Date.now();
      return works.map((work) => attempt(db, () => work(now)));
    },
  });

  /** Runs `work` in a transaction that it shares with others; it may refuse before it writes. */
  async function write<Result>(work: (transaction: MemoryTransaction) => Result): Promise<Result> {
    const outcome = await queue.push((now) =>
      work({
        now,
        reader: (viewer) => createMemoryReader(db, viewer, now),
        writer,
        spaces,
        settle: (owner, fate, limit) => settleMemories(db, owner, fate, limit),
        note: ({ principal, token }, action, subject, details = {}) =>
          noteAct(db, { at: now, principal, token, action, subject, details }),
      }),
    );
    if ('error' in outcome) throw outcome.error;
    return outcome.result as Result;
  }

  return {
    write,

    /** What `work` makes of what the viewer sees at one moment (ms). */
    async read<Result>(
      viewer: Viewer,
      work: (reader: MemoryReader) => Result,
      now = Date.now(),
    ): Promise<Result> {
      return db.read(() => work(createMemoryReader(db, viewer, now)));
    },

    /** Reading of spaces. */
    async readSpaces<Result>(
      work: (tables: Pick<typeof spaces, 'get' | 'list'>) => Result,
    ): Promise<Result> {
      return db.read(() => work(spaces));
    },

    /**
     * Erases some of what is over: expired memories, then requests that are known no longer.
     * @returns whether there may be more, and whether a text was erased.
     */
    async expireSome(now: number): Promise<{ hasMore: boolean; hasErased: boolean }> {
      const before = now - REQUESTS_MS;
      const isDue =
        db.column(sql`select 1 from memories where expires_at <= ${now} limit 1`).length > 0 ||
        db.column(sql`select 1 from memory_requests where at < ${before} limit 1`).length > 0;
      if (!isDue) return { hasMore: false, hasErased: false };
      return db.write(() => {
        const expired = db.all<StoredMemory>(sql`${everyMemory()}
          where expires_at <= ${now} limit ${MAX_PER_STEP}`);
        for (const memory of expired) {
          writer.erase(memory);
          const { reference: subject } = memory;
          noteAct(db, { at: now, ...NOBODY, action: 'memory.expire', subject });
        }
        const { changes } = db.run(sql`delete from memory_requests
          where (principal, token, key_hash) in (select principal, token, key_hash
            from memory_requests where at < ${before} limit ${MAX_PER_STEP})`);
        return {
          hasMore: expired.length === MAX_PER_STEP || changes === MAX_PER_STEP,
          hasErased: expired.length > 0,
        };
      });
    },

    /**
     * Takes what was erased out of the write-ahead log too.
     * @returns false when a reader still needs it; to be tried again then.
     */
    async sweep(): Promise<boolean> {
      try {
        const [row] = db.raw.pragma('wal_checkpoint(truncate)') as [{ busy: number }];
        needsSweep = row.busy !== 0;
      } catch {
        needsSweep = true;
      }
      return !needsSweep;
    },

    /** Whether something was erased that may still be in the write-ahead log. */
    needsSweep: (): boolean => needsSweep,
  };
}

const NOBODY: Actor = { principal: '', token: '' };

/** What becomes of an owner's memories: they go to another principal, or are erased. */
export type MemoryFate = { to: string } | 'erase';

/**
 * Gives away or erases up to `limit` of an owner's memories, inside a transaction.
 * @returns how many it was about.
 */
function settleMemories(
  db: Connection,
  owner: string,
  fate: MemoryFate,
  limit = Number.MAX_SAFE_INTEGER,
): number {
  const memories = db.all<StoredMemory>(sql`${everyMemory()}
    where memories.owner = (select id from memory_owners where name = ${owner}) limit ${limit}`);
  const writer = createMemoryWriter(db);
  for (const memory of memories) {
    if (fate === 'erase') writer.erase(memory);
    else writer.give(memory, fate.to);
  }
  return memories.length;
}

/** Whether there is any memory of this owner, also a deleted one. */
export function ownsMemories(db: Connection, owner: string): boolean {
  const found = db.column(sql`select 1 from memories
    where owner = (select id from memory_owners where name = ${owner}) limit 1`);
  return found.length > 0;
}

/** Ends the memberships of a principal, inside a transaction. */
export function leaveSpaces(db: Connection, principal: string): void {
  db.run(sql`delete from space_members where principal = ${principal}`);
}

/**
 * The result of `work`, or its refusal. Without a savepoint, which would double the cost of a write,
 * a refusal must come before anything is written; else, as with other faults, all is undone.
 */
function attempt(db: Connection, work: () => unknown): Outcome {
  const changes = () => db.column<number>(sql`select total_changes()`)[0];
  const before = changes();
  try {
    return { result: work() };
  } catch (error) {
    if (error instanceof AppError && changes() === before) return { error };
    throw error;
  }
}
