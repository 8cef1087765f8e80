import { statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { LRUCache } from 'lru-cache';
import type { Sql } from 'sql-template-tag';
import { AppError } from '../errors.ts';
import { migrate } from './migrate.ts';

/** "TCRB": marks a file as ours, so that another program's database is never written to. */
export const APPLICATION_ID = 0x54435242;

/** What every connection promises: a commit is on disk, references hold, the journal stays bounded. */
const PRAGMAS = {
  journal_mode: 'wal',
  synchronous: 2,
  foreign_keys: 1,
  journal_size_limit: 64 * 1024 * 1024,
  cache_size: -32 * 1024,
  temp_store: 2,
} as const;

/** A contended write is retried between turns of the event loop, so SQLite itself waits only briefly. */
const BUSY_TIMEOUT_MS = 15;
const WRITE_PATIENCE_MS = 5_000;

/** Counters that the store raises with every change of the subject. */
export interface Versions {
  catalogue: number;
  usage: number;
  users: number;
}

/** One SQLite connection with cached statements. Reads are synchronous; writes wait their turn. */
export interface Connection {
  /** The raw handle, for backup, checks and migrations. */
  raw: Database.Database;
  one<Row>(query: Sql): Row | undefined;
  all<Row>(query: Sql): Row[];
  /** The first column of each row. */
  column<Value>(query: Sql): Value[];
  /** Runs `work`, which only reads, so that all its reads see the same moment. */
  read<Result>(work: () => Result): Result;
  /** Runs one statement inside `write`. */
  run(query: Sql): Database.RunResult;
  /**
   * Runs `work` in one immediate transaction: all or nothing, on disk when it resolves.
   * @throws AppError ServiceUnavailableError when another process holds the lock for 5 s,
   *   StorageFullError when the disk is full; whatever `work` throws, after the roll-back.
   */
  write<Result>(work: () => Result): Promise<Result>;
  /** The current counters; costs a PRAGMA unless something changed. */
  versions(): Versions;
  close(): void;
}

/**
 * Opens the file, creating it when absent, and asserts its pragmas.
 * @throws Error in one plain line when the path cannot be opened or is not ours.
 */
export function openConnection(file: string, options: { readonly?: boolean } = {}): Connection {
  const raw = openFile(file, options.readonly ?? false);
  // Filters combine freely, so the number of prepared texts is bounded.
  const statements = new LRUCache<string, Database.Statement<unknown[]>>({ max: 500 });
  const columns = new LRUCache<string, Database.Statement<unknown[]>>({ max: 500 });

  function prepare({ sql }: Sql): Database.Statement<unknown[]> {
    let statement = statements.get(sql);
    if (statement === undefined) {
      statement = raw.prepare<unknown[]>(sql);
      statements.set(sql, statement);
    }
    return statement;
  }

  function prepareColumn({ sql }: Sql): Database.Statement<unknown[]> {
    let statement = columns.get(sql);
    if (statement === undefined) {
      statement = raw.prepare<unknown[]>(sql).pluck();
      columns.set(sql, statement);
    }
    return statement;
  }

  const readTransaction = raw.transaction((work: () => unknown) => work());
  const dataVersion = raw.prepare('PRAGMA data_version').pluck();
  let seenDataVersion = -1;
  let versions: Versions | undefined;

  return {
    raw,
    one: <Row>(query: Sql) => prepare(query).get(...query.values) as Row | undefined,
    all: <Row>(query: Sql) => prepare(query).all(...query.values) as Row[],
    column: <Value>(query: Sql) => prepareColumn(query).all(...query.values) as Value[],
    read: (work) => readTransaction(work) as never,
    run: (query) => prepare(query).run(...query.values),
    async write(work) {
      // Another connection's commits are seen by data_version, our own by this.
      versions = undefined;
      const transaction = raw.transaction(work);
      const deadline = performance.now() + WRITE_PATIENCE_MS;
      for (;;) {
        try {
          return transaction.immediate();
        } catch (error) {
          if (!isSqliteError(error)) throw error;
          if (error.code.startsWith('SQLITE_BUSY') && performance.now() < deadline) {
            await delay(5 + Math.random() * 20);
            continue;
          }
          throw asAppError(error);
        } finally {
          versions = undefined;
        }
      }
    },
    versions() {
      const now = dataVersion.get() as number;
      if (versions !== undefined && now === seenDataVersion) return versions;
      seenDataVersion = now;
      const rows = raw.prepare('select subject, value from change_counters').raw().all();
      versions = Object.fromEntries(rows as [keyof Versions, number][]) as unknown as Versions;
      return versions;
    },
    close: () => raw.close(),
  };
}

function openFile(file: string, readonly: boolean): Database.Database {
  let raw: Database.Database;
  try {
    raw = new Database(file, { readonly, timeout: WRITE_PATIENCE_MS });
  } catch (error) {
    throw new Error(`Cannot open the database ${file}: ${reason(error)}`, { cause: error });
  }
  try {
    const id = raw.pragma('application_id', { simple: true });
    const empty = raw.pragma('page_count', { simple: true }) === 0;
    if (!empty && id !== APPLICATION_ID) throw new Error('it is not a Toolcrib database');
    if (!readonly) {
      if (empty) raw.pragma(`application_id = ${APPLICATION_ID}`);
      for (const [name, value] of Object.entries(PRAGMAS)) setPragma(raw, name, value);
    }
    migrate(raw);
    raw.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
    return raw;
  } catch (error) {
    raw.close();
    throw new Error(`Cannot use the database ${file}: ${reason(error)}`, { cause: error });
  }
}

function setPragma(raw: Database.Database, name: string, value: string | number): void {
  raw.pragma(`${name} = ${value}`);
  const got = raw.pragma(name, { simple: true });
  if (got !== value) throw new Error(`${name} is ${String(got)}, not ${value}`);
}

function isSqliteError(error: unknown): error is InstanceType<typeof Database.SqliteError> {
  return error instanceof Database.SqliteError;
}

function reason(error: unknown): string {
  if (isSqliteError(error) && error.code === 'SQLITE_NOTADB') return 'it is not a SQLite database';
  if (isSqliteError(error)) return `${error.message} (${error.code})`;
  return error instanceof Error ? error.message : String(error);
}

/** What the caller may know of a fault of the engine; anything else stays an internal error. */
export function asAppError(error: unknown): unknown {
  if (!isSqliteError(error)) return error;
  if (error.code === 'SQLITE_FULL') {
    return new AppError('StorageFullError', 'The disk is full; nothing was written');
  }
  if (/^SQLITE_(BUSY|IOERR|CANTOPEN|READONLY|CORRUPT|NOTADB|LOCKED)/.test(error.code)) {
    return new AppError('ServiceUnavailableError', 'The store cannot answer now', {}, 1);
  }
  return error;
}

/** True while `file` is still the file that was opened: a moved or removed one keeps "working". */
export function sameFile(file: string, inode: bigint): boolean {
  try {
    return statSync(file, { bigint: true }).ino === inode;
  } catch {
    return false;
  }
}
