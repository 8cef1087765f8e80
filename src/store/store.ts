import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import sql from 'sql-template-tag';
import { createActStore } from './audit-acts.ts';
import { createCallStore } from './calls.ts';
import { createCheckpointThread } from './checkpoint-thread.ts';
import { asAppError, fileIsGone, openConnection, sameFile, type Versions } from './database.ts';
import { createMaintenance } from './maintenance.ts';
import { createMemoryStore } from './memories.ts';
import { createNarrowing } from './narrowed-store.ts';
import { createSearchThread } from './search-thread.ts';
import { createTokenStore } from './tokens.ts';
import { createToolStore } from './tools.ts';
import { createUsageStore } from './usage.ts';
import { createUserStore } from './users.ts';
import { createVectorStore } from './vectors.ts';

/**
 * Opens the store of a `file:` URL, creating folder, file and schema as needed.
 * It is synchronous inside and asynchronous at its edge. Reads see every committed write,
 * also those of other processes.
 * @throws Error in one plain line when the file cannot be used.
 */
export function openStore(url: string) {
  const file = databaseFile(url);
  createFolder(dirname(file));
  const db = openConnection(file);
  const { ino } = statSync(file, { bigint: true });
  const search = createSearchThread(file);
  const checkpoints = createCheckpointThread(file);
  const calls = createCallStore(db, checkpoints.committed);
  const [nodeId = ''] = db.column<string>(
    sql`select value from store_facts where name = 'node_id'`,
  );

  const parts = {
    tools: createToolStore(db, search),
    calls,
    usage: createUsageStore(db, calls.sumUp),
  };
  const narrowing = createNarrowing(file, parts);

  return {
    db,
    file,
    /** What this store calls itself where an answer wants a node's id. */
    nodeId,
    ...parts,
    users: createUserStore(db),
    tokens: createTokenStore(db),
    acts: createActStore(db),
    /** The parts about tools as who is narrowed by these patterns sees them. */
    narrowed: narrowing.narrowed,
    memories: createMemoryStore(db),
    vectors: createVectorStore(db),
    maintenance: createMaintenance(db),
    /** Counters that rise with every change; what caches and ETags follow. */
    versions: (): Versions => db.versions(),
    /** How many tools there are. @throws Error when the store does not answer. */
    toolCount: (): number => db.column<number>(sql`select count(*) from tools`)[0] ?? 0,
    /** @throws AppError ServiceUnavailableError when the file does not answer or is not there any more. */
    async ping(): Promise<void> {
      if (!sameFile(file, ino)) throw fileIsGone();
      try {
        db.one(sql`select id from tools limit 1`);
      } catch (error) {
        throw asAppError(error);
      }
    },
    close(): void {
      search.close();
      narrowing.close();
      checkpoints.close();
      db.close();
    },
  };
}

export type Store = ReturnType<typeof openStore>;

/** A store, with the patterns that narrow it when any do. */
export type SeenStore = Store & { patterns?: readonly string[] };

/** The path of a `file:` URL; relative ones count from the working folder. */
export function databaseFile(url: string): string {
  const path = url.startsWith('file:') ? url.slice('file:'.length) : '';
  if (path === '')
    throw new Error(`The database URL must look like file:./data/toolcrib.db, not ${url}`);
  return path.startsWith('///') ? path.slice(2) : path;
}

/** @throws Error in one plain line. */
export function createFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw new Error(`Cannot create the folder ${folder}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
