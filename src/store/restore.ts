import { chmodSync, constants, copyFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import sql from 'sql-template-tag';
import { assertIntact, isSameFile } from './backup.ts';
import { type CopyOptions, copyPages } from './copy-pages.ts';
import { type Connection, openConnection } from './database.ts';
import { createScratch } from './scratch.ts';
import { createFolder } from './store.ts';

/** What a database holds, for the person who decides about it. */
export interface Contents {
  tools: number;
  users: number;
}

/** A checked copy of a backup, brought to this program's schema; the backup itself stays untouched. */
export interface LoadedBackup extends Contents {
  /**
   * Puts the copy's content in the place of all that `target` holds, in one transaction that
   * running servers see at once.
   * @throws Error when the lock cannot be had or `signal` aborts; the old content stays then.
   */
  replace(target: { db: Connection; file: string }, options?: CopyOptions): Promise<void>;
  close(): void;
}

/**
 * So far the change counters are raised beyond both contents: more changes than a server can make
 * while the copy runs, so no ETag or cache of either content is taken for valid again.
 */
const COUNTER_LEAP = 1_000_000;

/**
 * Copies a backup beside `database`, checks and migrates the copy.
 * @throws Error in plain words when the file is no backup of ours or damaged.
 */
export function loadBackup(file: string, database: string): LoadedBackup {
  assertBackup(file, database);
  createFolder(dirname(database));
  const scratch = createScratch(database);
  try {
    const path = join(scratch.folder, 'restore.db');
    copyFileSync(file, path, constants.COPYFILE_FICLONE);
    chmodSync(path, 0o600);
    const copy = openConnection(path, file);
    try {
      assertIntact(copy.raw, file);
      return {
        ...contents(copy),
        replace: (target, options) => replace(copy, target, options),
        close() {
          copy.close();
          scratch.remove();
        },
      };
    } catch (error) {
      copy.close();
      throw error;
    }
  } catch (error) {
    scratch.remove();
    throw error;
  }
}

export function contents(db: Connection): Contents {
  const count = sql`select (select count(*) from tools) as tools, (select count(*) from users) as users`;
  return db.one<Contents>(count) ?? { tools: 0, users: 0 };
}

function assertBackup(file: string, database: string): void {
  if (isSameFile(file, database)) throw new Error(`${file} is the database itself`);
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) throw new Error(`There is no file ${file}`);
  if (!stats.isFile() || stats.size === 0) throw new Error(`${file} is not a backup`);
  if ((statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) {
    throw new Error(`${file} is a database in use; \`toolcrib backup\` makes a backup of it`);
  }
}

async function replace(
  copy: Connection,
  { db, file }: { db: Connection; file: string },
  options?: CopyOptions,
): Promise<void> {
  const counters = db.all<{ subject: string; value: number }>(
    sql`select subject, value from change_counters`,
  );
  await copy.write(() => {
    for (const { subject, value } of counters) {
      copy.run(sql`update change_counters set value = max(value, ${value}) + ${COUNTER_LEAP}
        where subject = ${subject}`);
    }
  });
  const promised = catalogueCounter(copy);
  await copyPages(copy.raw, file, options);
  // The copying connection leaves the last sync to the next commit, which is this one.
  await db.write(() => {
    if (catalogueCounter(db) < promised) throw new Error('The database shows other content');
    db.run(sql`update change_counters set value = value + 1 where subject = 'catalogue'`);
  });
  // Else the next write of a server would have to move all pages into the file.
  db.raw.pragma('wal_checkpoint(passive)');
}

function catalogueCounter(db: Connection): number {
  const query = sql`select value from change_counters where subject = 'catalogue'`;
  return db.column<number>(query)[0] ?? 0;
}
