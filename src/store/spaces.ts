import sql from 'sql-template-tag';
import type { Connection } from './database.ts';

export const SPACE_ROLES = ['reader', 'writer'] as const;
export type SpaceRole = (typeof SPACE_ROLES)[number];

export interface SpaceMember {
  /** A principal's id. */
  principal: string;
  role: SpaceRole;
}

/** A space as kept; created_at in milliseconds. */
export interface Space {
  id: string;
  name: string;
  created_at: number;
  members: SpaceMember[];
}

/** Spaces and who is in them; `member` narrows to those of a principal. Writes run inside a transaction. */
export function createSpaceTables(db: Connection) {
  const withMembers = (row: Omit<Space, 'members'>): Space => ({
    ...row,
    members: db.all(sql`select principal, role from space_members where space = ${row.id}
      order by principal`),
  });

  return {
    /** The role of a principal in the space of this name. */
    role(principal: string, name: string): { space: string; role: SpaceRole } | undefined {
      return db.one(sql`select spaces.id as space, role from spaces
        join space_members on space_members.space = spaces.id
        where name = ${name} and principal = ${principal}`);
    },

    get(name: string): Space | undefined {
      const row = db.one<Omit<Space, 'members'>>(sql`select * from spaces where name = ${name}`);
      return row && withMembers(row);
    },

    /** In name order; those that a principal is a member of, or all. */
    list(member?: string): Space[] {
      const rows =
        member === undefined
          ? db.all<Omit<Space, 'members'>>(sql`select * from spaces order by name`)
          : db.all<Omit<Space, 'members'>>(sql`select spaces.* from spaces
              join space_members on space = id where principal = ${member} order by name`);
      return rows.map(withMembers);
    },

    insert({ id, name, created_at }: Omit<Space, 'members'>): void {
      db.run(sql`insert into spaces (id, name, created_at) values (${id}, ${name}, ${created_at})`);
    },

    setMembers(space: string, members: readonly SpaceMember[]): void {
      db.run(sql`delete from space_members where space = ${space}`);
      for (const { principal, role } of members) {
        db.run(sql`insert into space_members (space, principal, role)
          values (${space}, ${principal}, ${role})`);
      }
    },

    remove(space: string): void {
      db.run(sql`delete from spaces where id = ${space}`);
    },
  };
}
