import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { migrate } from './migrate.ts';

/** "TCRB": marks a file as ours, so that another program's database is never written to. */
export const APPLICATION_ID = 0x54435242;

const FOREIGN = 'it is not a Toolcrib database';

/** How long opening waits for another process that is opening or changing the same file. */
const PATIENCE_MS = 5_000;

/** What every connection promises: a commit is on disk, references hold, the journal stays bounded, what
 * is deleted is overwritten. */
const PRAGMAS = {
  journal_mode: 'wal',
  synchronous: 2,
  foreign_keys: 1,
  journal_size_limit: 64 * 1024 * 1024,
  // Pages; where calls are recorded a thread does it long before, see checkpoint-thread.ts.
  wal_autocheckpoint: 16_000,
  cache_size: -64 * 1024,
  secure_delete: 1,
  temp_store: 2,
} as const;

/**
 * Opens a database of ours with its pragmas, creating it when absent, and migrates it.
 * `asIs` neither creates nor migrates; faults name the file `shownAs`.
 * A file that is not ours is refused before SQLite sees it.
 * @throws Error in one plain line when the path cannot be opened or is not ours.
 */
export function openFile(
  file: string,
  { asIs = false, shownAs = file }: { asIs?: boolean; shownAs?: string } = {},
): Database.Database {
  let raw: Database.Database | undefined;
  try {
    const isNew = assertOurs(file) === 'new';
    if (isNew && asIs) throw new Error('it does not exist');
    raw = new Database(file, { fileMustExist: asIs, timeout: PATIENCE_MS });
    if (isNew && raw.pragma('page_count', { simple: true }) === 0) {
      raw.pragma(`application_id = ${APPLICATION_ID}`);
    }
    if (raw.pragma('application_id', { simple: true }) !== APPLICATION_ID) throw new Error(FOREIGN);
    for (const [name, value] of Object.entries(PRAGMAS)) setPragma(raw, name, value);
    if (!asIs) {
      migrate(raw);
      ensureNodeId(raw);
    }
    return raw;
  } catch (error) {
    raw?.close();
    throw new Error(`Cannot use the database ${shownAs}: ${reason(error)}`, { cause: error });
  }
}

/**
 * Looks at the header without SQLite, whose closing would already tidy up a foreign file's journal.
 * @throws Error when the file is anything but absent, empty or a database of ours.
 */
function assertOurs(file: string): 'new' | 'ours' {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return 'new';
  if (stats.isDirectory()) throw new Error('it is a folder');
  if (!stats.isFile()) throw new Error('it is not a regular file');
  if (stats.size === 0) return 'new';
  // https://www.sqlite.org/fileformat.html, 1.3: the magic text, and the application id at byte 68.
  const header = Buffer.alloc(100);
  const handle = openSync(file, 'r');
  try {
    readSync(handle, header);
  } finally {
    closeSync(handle);
  }
  if (header.toString('latin1', 0, 16) !== 'SQLite format 3\0') {
    throw new Error('it is not a SQLite database');
  }
  if (header.readUInt32BE(68) !== APPLICATION_ID) throw new Error(FOREIGN);
  return 'ours';
}

function setPragma(raw: Database.Database, name: string, value: string | number): void {
  raw.pragma(`${name} = ${value}`);
  const got = raw.pragma(name, { simple: true });
  if (got !== value) throw new Error(`${name} is ${String(got)}, not ${value}`);
}

/** A random name for this store; of two processes on a new file, the first one's counts. */
function ensureNodeId(raw: Database.Database): void {
  const known = raw.prepare("select 1 from store_facts where name = 'node_id'").get();
  if (known !== undefined) return;
  raw
    .prepare("insert into store_facts (name, value) values ('node_id', ?) on conflict do nothing")
    .run(randomBytes(16).toString('base64url'));
}

const UNWRITABLE = 'it or its folder cannot be written';

const REASONS: Record<string, string> = {
  SQLITE_BUSY: 'another process holds its lock',
  SQLITE_CANTOPEN: UNWRITABLE,
  SQLITE_CORRUPT: 'it is damaged; move it away and restore a backup',
  SQLITE_FULL: 'the disk is full',
  SQLITE_NOTADB: 'it is damaged; move it away and restore a backup',
  SQLITE_READONLY: UNWRITABLE,
  EACCES: UNWRITABLE,
};

function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) return error.message;
  // Extended codes such as SQLITE_READONLY_DIRECTORY mean the same to a person.
  const known = REASONS[code] ?? REASONS[code.split('_', 2).join('_')];
  if (known === undefined) return `${error.message} (${code})`;
  // To whom the files would have to belong: in a container that is not the user who reads this.
  const who = known === UNWRITABLE ? ` by user ${process.geteuid?.()}` : '';
  return `${known}${who}${code.startsWith('SQLITE_') ? ` (${code})` : ''}`;
}
