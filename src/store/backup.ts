import { chmodSync, existsSync, lstatSync, renameSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { type CopyOptions, copyPages } from './copy-pages.ts';
import { openFile } from './open-file.ts';
import { createScratch, syncToDisk } from './scratch.ts';

export interface BackupOptions extends CopyOptions {
  /** Replace `target` if it exists. */
  overwrite?: boolean;
}

/**
 * Writes what `database` holds at this moment to the one file `target`, beside processes that go on
 * writing. The file appears whole, checked and on the disk, or not at all; only its owner may read it.
 * @returns its size in bytes.
 * @throws Error in plain words.
 */
export async function backUp(
  database: string,
  target: string,
  { overwrite = false, ...options }: BackupOptions = {},
): Promise<number> {
  assertTarget(database, target, overwrite);
  const source = openFile(database, { asIs: true });
  const scratch = createScratch(target);
  try {
    const copy = join(scratch.folder, 'backup.db');
    // One snapshot for all steps; without it the copy starts anew whenever someone else commits.
    source.exec('begin');
    source.prepare('select count(*) from sqlite_schema').get();
    await copyPages(source, copy, options);
    makeSingleFile(copy, database);
    chmodSync(copy, 0o600);
    syncToDisk(copy);
    assertTarget(database, target, overwrite);
    renameSync(copy, target);
    syncToDisk(dirname(target));
    return statSync(target).size;
  } finally {
    source.close();
    scratch.remove();
  }
}

function assertTarget(database: string, target: string, overwrite: boolean): void {
  const folder = dirname(target);
  if (!existsSync(folder)) throw new Error(`There is no folder ${folder}`);
  const stats = lstatSync(target, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (!stats.isFile() && !stats.isSymbolicLink()) throw new Error(`${target} is not a file`);
  const own = ['', '-wal', '-shm'].map((suffix) => `${database}${suffix}`);
  if (own.some((file) => isSameFile(file, target))) {
    throw new Error(`${target} belongs to the database itself`);
  }
  if (!overwrite) throw new Error(`${target} exists; --force would replace it`);
}

/** True when both names lead to one file that exists. */
export function isSameFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map((file) =>
    statSync(file, { throwIfNoEntry: false, bigint: true }),
  );
  return a !== undefined && b !== undefined && a.ino === b.ino && a.dev === b.dev;
}

/** The copy says of itself that it has a write-ahead log; without, it opens where nobody may write. */
function makeSingleFile(file: string, shownAs: string): void {
  const db = new Database(file, { fileMustExist: true });
  try {
    const mode = db.pragma('journal_mode = delete', { simple: true });
    if (mode !== 'delete') throw new Error(`The copy's journal mode is ${String(mode)}`);
    assertIntact(db, shownAs);
  } finally {
    db.close();
  }
}

/** @throws Error naming the first fault when the file's pages or rows do not fit together. */
export function assertIntact(db: Database.Database, shownAs: string): void {
  let fault: unknown;
  try {
    fault = db.pragma('quick_check(1)', { simple: true });
  } catch (error) {
    fault = (error as Error).message;
  }
  if (fault === 'ok') return;
  throw new Error(`${shownAs} is damaged: ${String(fault).trim().split('\n').at(-1)}`);
}
