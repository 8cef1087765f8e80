import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type Database from 'better-sqlite3';

const FOLDER = new URL('../../migrations/', import.meta.url);

interface Migration {
  name: string;
  sha256: string;
  sql: string;
}

/** The migrations that this program brings, in their order. */
export function readMigrations(folder: URL = FOLDER): Migration[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.sql'));
  return names.sort().map((name) => {
    const sql = readFileSync(new URL(name, folder), 'utf8');
    return { name, sql, sha256: createHash('sha256').update(sql).digest('hex') };
  });
}

/**
 * Brings the file to this program's schema: all that is missing, and its record, in one transaction.
 * Two processes that start at once take turns; the second finds the work done. With nothing to do
 * it takes no lock.
 * @returns the names that were applied now.
 * @throws Error when the file has a migration that is unknown here or was changed since.
 */
export function migrate(db: Database.Database, migrations = readMigrations()): string[] {
  if (hasRecord(db) && assertKnown(db, migrations).length === 0) return [];
  const applied: string[] = [];
  db.transaction(() => {
    db.exec(
      'create table if not exists schema_migrations (name text primary key, sha256 text not null, applied_at integer not null) strict, without rowid',
    );
    for (const row of assertKnown(db, migrations)) {
      db.exec(row.sql);
      db.prepare('insert into schema_migrations (name, sha256, applied_at) values (?, ?, ?)').run(
        row.name,
        row.sha256,
        Date.now(),
      );
      applied.push(row.name);
    }
  }).immediate();
  return applied;
}

function hasRecord(db: Database.Database): boolean {
  const query = "select 1 from sqlite_schema where type = 'table' and name = 'schema_migrations'";
  return db.prepare(query).get() !== undefined;
}

/** The migrations still to do. Order matters: one that is missing before an applied one is a fault too. */
function assertKnown(db: Database.Database, migrations: Migration[]): Migration[] {
  const done = db.prepare('select name, sha256 from schema_migrations order by name').all() as {
    name: string;
    sha256: string;
  }[];
  for (const [index, row] of done.entries()) {
    const ours = migrations[index];
    if (ours?.name !== row.name) {
      throw new Error(
        `the database has the migration ${row.name}, which this version does not know`,
      );
    }
    if (ours.sha256 !== row.sha256) {
      throw new Error(`the migration ${row.name} was changed after it was applied`);
    }
  }
  return migrations.slice(done.length);
}
