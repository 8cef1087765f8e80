import sql from 'sql-template-tag';
import type { Connection } from './database.ts';

/** So many changes of the catalogue are remembered; one who is further behind reads all tools. */
const KEPT = 5_000;

/** Says, inside the transaction, that a tool's definition is about to be another one. */
export function noteChange(db: Connection, tool: number): void {
  db.run(sql`insert into tool_changes (version, tool)
    select value + 1, ${tool} from change_counters where subject = 'catalogue'
    on conflict do nothing`);
}

/** Raises the catalogue's counter: once in a transaction, after all that is noted. */
export function raiseCatalogue(db: Connection): void {
  db.run(sql`update change_counters set value = value + 1 where subject = 'catalogue'`);
  db.run(sql`delete from tool_changes where version <=
    (select value - ${KEPT} from change_counters where subject = 'catalogue')`);
}

/**
 * The tools that changed after the counter was at `version`, or undefined when that is not known any
 * more; a restored backup leaps so far ahead.
 */
export function changesSince(db: Connection, version: number, now: number): number[] | undefined {
  if (version > now || now - version >= KEPT) return undefined;
  return db.column(sql`select distinct tool from tool_changes where version > ${version}`);
}
