import Database from 'better-sqlite3';
import sql from 'sql-template-tag';
import type { Connection } from './database.ts';
import { createMemoryMaintenance } from './memory-maintenance.ts';
import { raiseCatalogue } from './tool-changes.ts';
import { replaceWide } from './tool-writes.ts';
import type { ToolDefinitionRow, ToolStatus, UsageSums } from './tools.ts';

/** A tool with every derived value; null where the row it should be in is missing. */
export interface AuditedTool extends UsageSums {
  id: number;
  tool_id: string;
  name: string;
  status: ToolStatus;
  category: string;
  author: string;
  server: string;
  read_only: 0 | 1;
  created_at: number;
  updated_at: number;
  success_rate: number;
  avg_execution_time_ms: number;
  document: string | null;
  derived_parameters: 0 | 1;
  ml_commons: string | null;
  folded_name: string | null;
  folded_description: string | null;
  words: Uint8Array | null;
  /** Its newest calls as JSON text. */
  recent_calls: string | null;
  tags: readonly string[];
}

/** What a tool's derived values should be. */
export interface DerivedRow extends ToolDefinitionRow {
  tool_id: string;
  success_rate: number;
  avg_execution_time_ms: number;
  recent_calls: string | null;
}

/** Checking and rebuilding what the store derives; in slices, so that memory stays bounded. */
export function createMaintenance(db: Connection) {
  function auditAfter(after: number, limit: number): AuditedTool[] {
    const rows = db.all<Omit<AuditedTool, 'tags'> & { tags: string }>(sql`
      select tools.*, document, derived_parameters, ml_commons,
        tool_texts.name as folded_name, tool_texts.description as folded_description, words,
        (select calls from recent_calls where tool = tools.id) as recent_calls,
        (select json_group_array(tag) from tool_tags where tool = tools.id) as tags
      from tools
      left join tool_documents on tool_documents.id = tools.id
      left join tool_texts on tool_texts.id = tools.id
      left join tool_words on tool_words.id = tools.id
      where tools.id > ${after} order by tools.id limit ${limit}`);
    return rows.map((row) => ({ ...row, tags: JSON.parse(row.tags) }));
  }

  return {
    ...createMemoryMaintenance(db),

    /** Up to `limit` tools behind the row id `after`, in the order of their row ids. */
    async auditAfter(after: number, limit: number): Promise<AuditedTool[]> {
      return db.read(() => auditAfter(after, limit));
    },

    /** Up to `limit` faults of the file itself and of its indexes; empty when all is well. */
    async integrityFaults(limit: number): Promise<string[]> {
      try {
        const texts = db.raw.prepare(`pragma integrity_check(${limit})`).pluck().all() as string[];
        return texts.filter((text) => text !== 'ok');
      } catch (error) {
        return [(error as Error).message];
      }
    },

    /** Rows that belong to no row: how many, by table. */
    async orphans(): Promise<{ table: string; parent: string; count: number }[]> {
      return db.all(sql`select "table", parent, count(*) as count
        from pragma_foreign_key_check group by "table", parent order by "table"`);
    },

    /** Builds each index anew, each in a transaction of its own. Returns how many. */
    async rebuildIndexes(): Promise<number> {
      const names = db.column<string>(sql`select name from sqlite_schema where type = 'index'`);
      for (const name of names) {
        await db.write(() => {
          db.raw.exec(`reindex "${name}"`);
          raiseCatalogue(db);
        });
      }
      return names.length;
    },

    /** Removes what is derived and belongs to no tool. */
    async removeOrphans(): Promise<void> {
      await db.write(() => {
        db.run(sql`delete from tool_texts where id not in (select id from tools)`);
        db.run(sql`delete from tool_words where id not in (select id from tools)`);
        db.run(sql`delete from tool_vectors where id not in (select id from tools)`);
        db.run(sql`delete from tool_tags where tool not in (select id from tools)`);
      });
    },

    /**
     * Lets `derive` say what the derived values of the next `limit` tools should be, and writes those
     * it gives, in one transaction. `derive` must be pure.
     * @returns the last row id that was read, undefined behind the last tool, how many were written,
     *   and the names of those that a rule of the schema refused, such as a name that is taken.
     */
    async rederive(
      after: number,
      limit: number,
      derive: (tool: AuditedTool) => DerivedRow | undefined,
    ): Promise<{ last: number | undefined; written: number; refused: string[] }> {
      return db.write(() => {
        const tools = auditAfter(after, limit);
        const refused: string[] = [];
        let written = 0;
        for (const tool of tools) {
          const row = derive(tool);
          if (row === undefined) continue;
          if (tryReplace(db, tool.id, row)) written += 1;
          else refused.push(tool.name);
        }
        if (written > 0) raiseCatalogue(db);
        return { last: tools.at(-1)?.id, written, refused };
      });
    },
  };
}

/** All of a tool's derived rows, or none when the schema refuses one. */
function tryReplace(db: Connection, id: number, row: DerivedRow): boolean {
  const replace = db.raw.transaction(() => {
    db.run(sql`update tools set tool_id = ${row.tool_id}, name = ${row.name}, status = ${row.status},
      category = ${row.category}, author = ${row.author}, server = ${row.server},
      read_only = ${Number(row.read_only)}, success_rate = ${row.success_rate},
      avg_execution_time_ms = ${row.avg_execution_time_ms} where id = ${id}`);
    replaceWide(db, id, row);
    db.run(sql`delete from recent_calls where tool = ${id}`);
    if (row.recent_calls !== null) {
      db.run(sql`insert into recent_calls (tool, calls) values (${id}, ${row.recent_calls})`);
    }
  });
  try {
    replace();
    return true;
  } catch (error) {
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_CONSTRAINT')) {
      return false;
    }
    throw error;
  }
}
