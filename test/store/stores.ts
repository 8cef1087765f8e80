import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import Database from 'better-sqlite3';
import { registerTools } from '../../src/catalogue/register.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { temporaryFolder } from '../helper.ts';

/** A store on the file `toolcrib.db` of a folder of its own. */
export function makeStore(t: TestContext): { store: Store; file: string; folder: string } {
  const folder = temporaryFolder(t);
  const file = join(folder, 'toolcrib.db');
  const store = openStore(`file:${file}`);
  t.after(() => store.close());
  return { store, file, folder };
}

export async function register(store: Store, ...names: string[]): Promise<void> {
  await registerTools(
    store,
    names.map((name) => ({ name, description: `What ${name} does` })),
  );
}

/** 12 MB that are of no tool, for what must take several steps. */
export function addPadding({ db }: Store): void {
  db.raw.exec("insert into store_facts values ('padding', hex(zeroblob(6000000)))");
}

/** Tools of 16 KB each, so that most pages are of tools. */
export async function registerLarge(store: Store, count: number, prefix: string): Promise<void> {
  await registerTools(
    store,
    Array.from({ length: count }, (_, i) => ({
      name: `${prefix}_${i}`,
      description: prefix.repeat(16_000 / prefix.length),
    })),
  );
}

export async function namesOf(store: Store): Promise<string[]> {
  return (await store.tools.getAfter('', 10_000)).map(({ name }) => name);
}

export async function removeAll(store: Store): Promise<void> {
  await store.tools.change({ names: await namesOf(store) }, ({ byName }) => ({
    changes: { remove: [...byName.values()].map(({ id }) => id) },
    result: undefined,
  }));
}

/** The names in a file that is opened by SQLite alone, and only for reading. */
export function namesIn(file: string): string[] {
  const db = new Database(file, { readonly: true });
  try {
    return db.prepare('select name from tools order by name').pluck().all() as string[];
  } finally {
    db.close();
  }
}

export function filesOf(folder: string): string[] {
  return readdirSync(folder).sort();
}
