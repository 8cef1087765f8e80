import sql, { join, type Sql } from 'sql-template-tag';
import type { Connection } from './database.ts';

/** An act as kept; `at` in milliseconds, `details` as JSON text. */
export interface StoredAct {
  id: number;
  at: number;
  principal: string;
  token: string;
  action: string;
  subject: string;
  details: string;
}

/** All conditions hold together; times in milliseconds, `since` included, `until` not. */
export interface ActFilter {
  /** The id of a principal. */
  principal?: string;
  action?: string;
  since?: number;
  until?: number;
}

/** Reading the audit log; whoever acts writes it by `noteAct`. */
export function createActStore(db: Connection) {
  const columns = sql`id, at, principal, token, action, subject, details`;
  return {
    /** A page of acts, the newest first, and how many match. */
    async list(
      filter: ActFilter,
      size: number,
      from: number,
    ): Promise<{ acts: StoredAct[]; total: number }> {
      return db.read(() => {
        const acts = db.all<StoredAct>(sql`select ${columns} from audit_log where ${where(filter)}
          order by id desc limit ${size} offset ${from}`);
        const [total = 0] = db.column<number>(
          sql`select count(*) from audit_log where ${where(filter)}`,
        );
        return { acts, total };
      });
    },

    /** Up to `limit` acts behind the id `after`, the oldest first: walks all in constant memory. */
    async after(after: number, filter: ActFilter, limit: number): Promise<StoredAct[]> {
      return db.all(sql`select ${columns} from audit_log where id > ${after} and ${where(filter)}
        order by id limit ${limit}`);
    },
  };
}

function where({ principal, action, since, until }: ActFilter): Sql {
  const terms: Sql[] = [sql`1`];
  if (principal !== undefined) terms.push(sql`principal = ${principal}`);
  if (action !== undefined) terms.push(sql`action = ${action}`);
  if (since !== undefined) terms.push(sql`at >= ${since}`);
  if (until !== undefined) terms.push(sql`at < ${until}`);
  return join(terms, ' and ');
}
