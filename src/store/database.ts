import { statSync } from 'node:fs';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { LRUCache } from 'lru-cache';
import type { Sql } from 'sql-template-tag';
import { AppError } from '../errors.ts';
import { narrowTo } from './narrow-views.ts';
import { openFile } from './open-file.ts';

/** A contended write is retried between turns of the event loop, so SQLite itself waits only briefly. */
const BUSY_TIMEOUT_MS = 15;
const WRITE_PATIENCE_MS = 5_000;
/** Of a connection that only reads: 8 MB, since what it reads it mostly keeps in a form of its own. */
const READER_CACHE = -8 * 1024;
/** Of one that shows some tools only: there may be many of them. */
const NARROWED_CACHE = -2 * 1024;

/** Counters that the store raises with every change of the subject. */
export interface Versions {
  catalogue: number;
  usage: number;
  users: number;
  tokens: number;
  /** Vectors of tools, which follow the catalogue in the background. */
  vectors: number;
}

/** One SQLite connection with cached statements. Reads are synchronous; writes wait their turn. */
export interface Connection {
  /** The raw handle, for backup, checks and migrations. */
  raw: Database.Database;
  /** Whether it shows some tools only. */
  isNarrowed: boolean;
  one<Row>(query: Sql): Row | undefined;
  all<Row>(query: Sql): Row[];
  /** Row by row, for what may be many; nothing else may run the same query meanwhile. */
  each<Row>(query: Sql): Iterable<Row>;
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
 * Opens the file, creating it when absent, and asserts its pragmas. Faults name it `shownAs`.
 * With `readOnly` it must be there with its schema, and no write is possible; with `only`, it shows
 * no tools but those that the patterns let through.
 * @throws Error in one plain line when the path cannot be opened or is not ours.
 */
export function openConnection(
  file: string,
  shownAs = file,
  { readOnly = false, only }: { readOnly?: boolean; only?: readonly string[] } = {},
): Connection {
  const raw = openFile(file, { shownAs, asIs: readOnly });
  if (only !== undefined) narrowTo(raw, only);
  if (readOnly) {
    raw.pragma('query_only = 1');
    raw.pragma(`cache_size = ${only === undefined ? READER_CACHE : NARROWED_CACHE}`);
  }
  const { ino } = statSync(file, { bigint: true });
  raw.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
  const prepare = createStatementCache((text) => raw.prepare<unknown[]>(text));
  const prepareColumn = createStatementCache((text) => raw.prepare<unknown[]>(text).pluck());

  const readTransaction = raw.transaction((work: () => unknown) => work());
  const dataVersion = raw.prepare('PRAGMA data_version').pluck();
  let seenDataVersion = -1;
  let versions: Versions | undefined;
  let lastInLine: Promise<void> | undefined;
  let isChecked = false;

  return {
    raw,
    isNarrowed: only !== undefined,
    one: <Row>(query: Sql) => prepare(query).get(...query.values) as Row | undefined,
    all: <Row>(query: Sql) => prepare(query).all(...query.values) as Row[],
    each: <Row>(query: Sql) => prepare(query).iterate(...query.values) as Iterable<Row>,
    column: <Value>(query: Sql) => prepareColumn(query).all(...query.values) as Value[],
    read(work) {
      // The counters that `work` sees must be those of its own snapshot.
      isChecked = false;
      return readTransaction(work) as never;
    },
    run: (query) => prepare(query).run(...query.values),
    async write(work) {
      const deadline = performance.now() + WRITE_PATIENCE_MS;
      const transaction = raw.transaction(work);
      // Each try at a held lock stops the event loop for a moment, so only one of us tries at a time.
      const before = lastInLine;
      const { promise, resolve: leave } = Promise.withResolvers<void>();
      lastInLine = promise;
      try {
        if (before !== undefined) {
          await before;
          await nextTurn();
        }
        // SQLite goes on acknowledging writes into a file that is no longer there.
        if (!sameFile(file, ino)) throw fileIsGone();
        while (performance.now() < deadline) {
          try {
            return transaction.immediate();
          } catch (error) {
            if (!isSqliteError(error) || !error.code.startsWith('SQLITE_BUSY')) {
              throw asAppError(error);
            }
          } finally {
            // Another connection's commits are seen by data_version, our own by this.
            versions = undefined;
          }
          await delay(5 + Math.random() * 20);
        }
        throw cannotAnswer();
      } finally {
        if (lastInLine === promise) lastInLine = undefined;
        leave();
      }
    },
    versions() {
      if (versions !== undefined && isChecked) return versions;
      // Asking costs locks, so it is asked once for all requests that one turn of the loop brings.
      isChecked = true;
      setImmediate(() => {
        isChecked = false;
      });
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

/** Prepares each text once. Filters combine freely, so the number of kept ones is bounded. */
function createStatementCache(make: (text: string) => Database.Statement<unknown[]>) {
  const statements = new LRUCache<string, Database.Statement<unknown[]>>({ max: 500 });
  return ({ sql }: Sql): Database.Statement<unknown[]> => {
    let statement = statements.get(sql);
    if (statement === undefined) {
      statement = make(sql);
      statements.set(sql, statement);
    }
    return statement;
  };
}

function isSqliteError(error: unknown): error is InstanceType<typeof Database.SqliteError> {
  return error instanceof Database.SqliteError;
}

/** The error of a database file that was moved or removed under the running process. */
export function fileIsGone(): AppError {
  return new AppError('ServiceUnavailableError', 'The database file was moved or removed', {}, 5);
}

/** `error` with what made it: the log tells the engine's own words, the answer does not. */
export function withCause(error: AppError, cause: unknown): AppError {
  error.cause = cause;
  return error;
}

/** What the caller may know of a fault of the engine; anything else stays an internal error. */
export function asAppError(error: unknown): unknown {
  if (!isSqliteError(error)) return error;
  if (error.code === 'SQLITE_FULL') {
    return withCause(
      new AppError('StorageFullError', 'The disk is full; nothing was written'),
      error,
    );
  }
  if (/^SQLITE_(BUSY|IOERR|CANTOPEN|READONLY|CORRUPT|NOTADB|LOCKED)/.test(error.code)) {
    return withCause(cannotAnswer(), error);
  }
  return error;
}

/** The error of a store that does not answer at the moment. */
export function cannotAnswer(): AppError {
  return new AppError('ServiceUnavailableError', 'The store cannot answer now', {}, 1);
}

/** True while `file` is still the file that was opened: a moved or removed one keeps "working". */
export function sameFile(file: string, inode: bigint): boolean {
  try {
    return statSync(file, { bigint: true }).ino === inode;
  } catch {
    return false;
  }
}
