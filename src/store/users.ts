import sql from 'sql-template-tag';
import type { Scope } from '../auth/authorize.ts';
import { type AuditEntry, noteAct } from './audit-log.ts';
import type { Connection } from './database.ts';
import { leaveSpaces, ownsMemories } from './memories.ts';

/** A user as kept; times in milliseconds. */
export interface UserRecord {
  id: string;
  name: string;
  password_hash: string;
  scopes: Scope[];
  created_at: number;
  updated_at: number;
}

type UserRow = Omit<UserRecord, 'scopes'> & { scopes: string };

/** Users and their scopes. */
export function createUserStore(db: Connection) {
  const columns = sql`id, name, password_hash, scopes, created_at, updated_at`;
  const parse = (row: UserRow): UserRecord => ({ ...row, scopes: JSON.parse(row.scopes) });

  return {
    async get(name: string): Promise<UserRecord | undefined> {
      const row = db.one<UserRow>(sql`select ${columns} from users where name = ${name}`);
      return row && parse(row);
    },

    /** All users in name order. */
    async list(): Promise<UserRecord[]> {
      return db.all<UserRow>(sql`select ${columns} from users order by name`).map(parse);
    },

    /**
     * Reads all users, lets `decide` say what to write, and writes it with the act for the audit
     * log, in one transaction. A user that is removed leaves all spaces.
     * `decide` must be pure; what it throws is thrown on, with nothing written.
     */
    async change<Result>(
      decide: (
        users: readonly UserRecord[],
        ownsMemories: (id: string) => boolean,
      ) => {
        put?: UserRecord;
        remove?: UserRecord;
        act?: AuditEntry;
        result: Result;
      },
    ): Promise<Result> {
      return db.write(() => {
        const users = db.all<UserRow>(sql`select ${columns} from users order by name`).map(parse);
        const { put, remove, act, result } = decide(users, (id) => ownsMemories(db, id));
        if (remove) {
          leaveSpaces(db, remove.id);
          db.run(sql`delete from users where id = ${remove.id}`);
        }
        if (put) {
          db.run(sql`insert into users (${columns}) values (${put.id}, ${put.name},
            ${put.password_hash}, ${JSON.stringify(put.scopes)}, ${put.created_at}, ${put.updated_at})
            on conflict (id) do update set password_hash = excluded.password_hash,
              scopes = excluded.scopes, updated_at = excluded.updated_at`);
        }
        if (act) noteAct(db, act);
        if (put || remove) {
          db.run(sql`update change_counters set value = value + 1 where subject = 'users'`);
        }
        return result;
      });
    },
  };
}
