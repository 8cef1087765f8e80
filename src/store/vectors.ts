import sql from 'sql-template-tag';
import type { Connection } from './database.ts';

/** A tool that has no vector of a model for its revision. */
export interface UnembeddedTool {
  id: number;
  revision: number;
  document: string;
}

/** The vectors that an embedding model gave for tools. */
export function createVectorStore(db: Connection) {
  return {
    /**
     * Of the next `limit` tools behind the row id `after` those without a vector of the model for
     * their revision, and the last row id that was looked at, undefined behind the last tool.
     */
    missingAfter(
      after: number,
      limit: number,
      model: string,
    ): { tools: UnembeddedTool[]; last: number | undefined } {
      return db.read(() => {
        const ids = db.column<number>(
          sql`select id from tools where id > ${after} order by id limit ${limit}`,
        );
        const last = ids.at(-1);
        if (last === undefined) return { tools: [], last };
        const tools = db.all<UnembeddedTool>(sql`select tools.id, tools.revision, document
          from tools join tool_documents on tool_documents.id = tools.id
          where tools.id > ${after} and tools.id <= ${last} and not exists (
            select 1 from tool_vectors as known where known.id = tools.id
            and known.model = ${model} and known.revision = tools.revision)
          order by tools.id`);
        return { tools, last };
      });
    },

    /** Writes vectors, in one transaction; a tool that is another by now gets none. */
    async put(
      model: string,
      vectors: readonly { id: number; revision: number; vector: Uint8Array | undefined }[],
    ): Promise<void> {
      await db.write(() => {
        db.run(sql`update change_counters set value = value + 1 where subject = 'vectors'`);
        for (const { id, revision, vector } of vectors) {
          if (vector === undefined) continue;
          db.run(sql`insert or replace into tool_vectors (id, model, revision, version, vector)
            select tools.id, ${model}, tools.revision, change_counters.value, ${vector}
            from tools join change_counters on change_counters.subject = 'vectors'
            where tools.id = ${id} and tools.revision = ${revision}`);
        }
      });
    },
  };
}
