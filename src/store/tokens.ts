import sql, { type Sql } from 'sql-template-tag';
import type { Scope } from '../auth/authorize.ts';
import { type AuditEntry, noteAct } from './audit-log.ts';
import type { Connection } from './database.ts';

/** What narrows a token; an absent list does not. */
export interface StoredLimits {
  read_paths?: readonly string[];
  write_paths?: readonly string[];
  tool_patterns?: readonly string[];
}

/** A token as kept; times in milliseconds. */
export interface TokenRecord {
  id: string;
  /** users.id */
  owner: string;
  /** The token that made it. */
  parent: string | null;
  name: string;
  /** SHA-256 of the whole token. */
  hash: Uint8Array;
  scopes: readonly Scope[];
  limits: StoredLimits;
  created_at: number;
  expires_at: number | null;
  last_used_at: number | null;
}

/** A token with what counts of its owner. */
export interface OwnedToken extends TokenRecord {
  owner_name: string;
  owner_scopes: readonly Scope[];
}

type Row<Token extends TokenRecord> = {
  [Key in keyof Token]: Key extends 'scopes' | 'limits' | 'owner_scopes' ? string : Token[Key];
};

/** Whose tokens: of one user, of one token and those that it made, or all. */
export interface TokenFilter {
  owner?: string;
  root?: string;
}

/** Tokens of users. */
export function createTokenStore(db: Connection) {
  const columns = sql`id, owner, parent, name, hash, scopes, limits, created_at, expires_at, last_used_at`;
  const owned = sql`select tokens.id, owner, parent, tokens.name, hash, tokens.scopes, limits,
      tokens.created_at, expires_at, last_used_at, users.name as owner_name,
      users.scopes as owner_scopes
    from tokens join users on users.id = tokens.owner`;

  function where({ owner, root }: TokenFilter): Sql {
    if (root !== undefined) {
      return sql`where tokens.id in (with recursive made (id) as (select ${root}
        union select tokens.id from tokens join made on tokens.parent = made.id) select id from made)`;
    }
    return owner === undefined ? sql`` : sql`where tokens.owner = ${owner}`;
  }

  return {
    async find(id: string): Promise<OwnedToken | undefined> {
      const row = db.one<Row<OwnedToken>>(sql`${owned} where tokens.id = ${id}`);
      return row && parseOwned(row);
    },

    /** A page of tokens, the newest first, and how many there are. */
    async list(
      filter: TokenFilter,
      size: number,
      from: number,
    ): Promise<{ tokens: OwnedToken[]; total: number }> {
      return db.read(() => {
        const rows = db.all<Row<OwnedToken>>(sql`${owned} ${where(filter)}
          order by tokens.created_at desc, tokens.id limit ${size} offset ${from}`);
        const [total = 0] = db.column<number>(sql`select count(*) from tokens ${where(filter)}`);
        return { tokens: rows.map(parseOwned), total };
      });
    },

    /**
     * Reads all tokens of an owner, lets `decide` say what to write, and writes it with the acts for
     * the audit log, in one transaction. `decide` must be pure; what it throws is thrown on.
     * A token of an owner that is gone is not kept.
     */
    async change<Result>(
      owner: string,
      decide: (tokens: readonly TokenRecord[]) => {
        put?: TokenRecord;
        remove?: readonly string[];
        acts: readonly AuditEntry[];
        result: Result;
      },
    ): Promise<Result> {
      return db.write(() => {
        const rows = db.all<Row<TokenRecord>>(
          sql`select ${columns} from tokens where owner = ${owner} order by created_at, id`,
        );
        const { put, remove = [], acts, result } = decide(rows.map(parse));
        for (const id of remove) db.run(sql`delete from tokens where id = ${id}`);
        if (put) {
          db.run(sql`insert into tokens (${columns})
            select ${put.id}, id, ${put.parent}, ${put.name}, ${put.hash},
              ${JSON.stringify(put.scopes)}, ${JSON.stringify(put.limits)}, ${put.created_at},
              ${put.expires_at}, ${put.last_used_at}
            from users where id = ${put.owner}`);
        }
        for (const act of acts) noteAct(db, act);
        db.run(sql`update change_counters set value = value + 1 where subject = 'tokens'`);
        return result;
      });
    },

    /** Notes when tokens were last used (milliseconds); nothing that is kept elsewhere follows it. */
    async markUsed(times: ReadonlyMap<string, number>): Promise<void> {
      await db.write(() => {
        for (const [id, at] of times) {
          db.run(sql`update tokens set last_used_at = max(coalesce(last_used_at, 0), ${at})
            where id = ${id}`);
        }
      });
    },
  };
}

function parse(row: Row<TokenRecord>): TokenRecord {
  return { ...row, scopes: JSON.parse(row.scopes), limits: JSON.parse(row.limits) };
}

function parseOwned(row: Row<OwnedToken>): OwnedToken {
  return { ...row, ...parse(row), owner_scopes: JSON.parse(row.owner_scopes) };
}
