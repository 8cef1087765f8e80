import sql from 'sql-template-tag';
import type { Connection } from './database.ts';

/** Who acts: a principal's id and the id of its token; both '' for the command line. */
export interface Actor {
  principal: string;
  token: string;
}

/** One act: ids and hashes only, never content. `at` in milliseconds. */
export interface AuditEntry extends Actor {
  at: number;
  /** The kind of thing and the verb, such as `memory.forget`. */
  action: string;
  subject: string;
  details?: Readonly<Record<string, string | number | boolean>>;
}

/** Notes an act inside the transaction that does it, so that neither is there without the other. */
export function noteAct(db: Connection, entry: AuditEntry): void {
  db.run(sql`insert into audit_log (at, principal, token, action, subject, details) values
    (${entry.at}, ${entry.principal}, ${entry.token}, ${entry.action}, ${entry.subject},
     ${JSON.stringify(entry.details ?? {})})`);
}
