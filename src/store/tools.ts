import sql, { type Sql } from 'sql-template-tag';
import type { Connection } from './database.ts';
import type { SearchThread } from './search-thread.ts';
import { raiseCatalogue } from './tool-changes.ts';
import {
  createToolQueries,
  RELEVANCE,
  type ToolPageQuery,
  type ToolPageRows,
} from './tool-queries.ts';
import { applyChanges } from './tool-writes.ts';

export type ToolStatus = 'active' | 'inactive' | 'error';

/** Exact sums over all calls of a tool, a baseline that was imported included. */
export interface UsageSums {
  total_calls: number;
  successful_calls: number;
  total_execution_time_ms: number;
}

/** One call as shown on the tool; the timestamp in milliseconds. */
export interface RecentCall {
  timestamp: number;
  execution_time_ms: number;
  success: boolean;
}

/** A tool's definition as the store keeps it: the rendered answer and what lists and search look at. */
export interface ToolDefinitionRow {
  name: string;
  status: ToolStatus;
  category: string;
  author: string;
  server: string;
  read_only: boolean;
  tags: readonly string[];
  folded_name: string;
  folded_description: string;
  /** What `encodeToolWords` gives. */
  words: Uint8Array;
  updated_at: number;
  /** JSON text of the answer up to its usage numbers, closed by `}`. */
  document: string;
  derived_parameters: boolean;
  ml_commons: string | null;
}

/** A whole new tool. */
export interface NewToolRow extends ToolDefinitionRow, UsageSums {
  tool_id: string;
  created_at: number;
  revision: number;
  success_rate: number;
  avg_execution_time_ms: number;
  recent_calls: readonly RecentCall[];
  versions: readonly ToolVersionRow[];
}

/** A tool as read back. Times in milliseconds. */
export interface StoredTool extends UsageSums {
  id: number;
  tool_id: string;
  name: string;
  status: ToolStatus;
  created_at: number;
  updated_at: number;
  revision: number;
  success_rate: number;
  avg_execution_time_ms: number;
  document: string;
  derived_parameters: 0 | 1;
  ml_commons: string | null;
}

/** A tool as answers show it: its document is spliced, never parsed. */
export type ShownTool = Pick<
  StoredTool,
  | 'id'
  | 'tool_id'
  | 'name'
  | 'updated_at'
  | 'revision'
  | 'total_calls'
  | 'success_rate'
  | 'avg_execution_time_ms'
  | 'document'
>;

/** A former definition, as it was until `replaced_at` (milliseconds). */
export interface ToolVersionRow {
  revision: number;
  document: string;
  derived_parameters: 0 | 1;
  ml_commons: string | null;
  replaced_at: number;
}

/** A tool with all that an export carries. */
export interface ExportedTool {
  tool: StoredTool;
  recentCalls: RecentCall[];
  versions: ToolVersionRow[];
}

/** What one transaction writes. An update keeps the former definition as a version. */
export interface ToolChanges {
  insert?: readonly NewToolRow[];
  update?: readonly { id: number; row: ToolDefinitionRow }[];
  remove?: readonly number[];
}

/** @public The declaration of the package names it. */
export interface Keys {
  names?: readonly string[];
  toolIds?: readonly string[];
}

/** The tools that a change is about, by its keys. */
export interface Found {
  byName: ReadonlyMap<string, StoredTool>;
  byToolId: ReadonlyMap<string, StoredTool>;
}

const STORED = sql`tools.id, tools.tool_id, tools.name, tools.status, tools.created_at,
  tools.updated_at, tools.revision, tools.total_calls, tools.successful_calls,
  tools.total_execution_time_ms, tools.success_rate, tools.avg_execution_time_ms,
  tool_documents.document, tool_documents.derived_parameters, tool_documents.ml_commons`;

const NUMBERS = sql`tools.id, tools.tool_id, tools.name, tools.updated_at, tools.revision,
  tools.total_calls, tools.success_rate, tools.avg_execution_time_ms`;

const SHOWN = sql`${NUMBERS}, tool_documents.document`;

const FROM = sql`tools join tool_documents on tool_documents.id = tools.id`;

/** Tools in the order of `ids`. */
export function shownTools(db: Connection, ids: ArrayLike<number>): ShownTool[] {
  return db.all(
    sql`select ${SHOWN} from json_each(${`[${Array.prototype.join.call(ids, ',')}]`}) as wanted
      join tools on tools.id = wanted.value
      join tool_documents on tool_documents.id = tools.id order by wanted.key`,
  );
}

export type ToolStore = ReturnType<typeof createToolStore>;

/** Reading and changing tools. Listing, filtering and sorting are in tool-queries.ts. */
export function createToolStore(
  db: Connection,
  search: Pick<SearchThread, 'find'>,
  listBytes?: number,
) {
  const queries = createToolQueries(db, listBytes);

  function findBy(column: Sql, keys: readonly string[]): StoredTool[] {
    if (keys.length === 0) return [];
    return db.all(
      sql`select ${STORED} from ${FROM} where ${column} in (select value from json_each(${JSON.stringify(keys)}))`,
    );
  }

  function getByToolId(toolId: string): StoredTool | undefined {
    return db.one(sql`select ${STORED} from ${FROM} where tools.tool_id = ${toolId}`);
  }

  function getRecentCalls(id: number): RecentCall[] {
    const [calls = null] = db.column<string>(
      sql`select calls from recent_calls where tool = ${id}`,
    );
    return parseCalls(calls);
  }

  function getVersions(id: number, limit: number, offset: number): ToolVersionRow[] {
    return db.all(
      sql`select revision, document, derived_parameters, ml_commons, replaced_at
        from tool_versions where tool = ${id} order by revision desc limit ${limit} offset ${offset}`,
    );
  }

  function find(keys: Keys): Found {
    const byName = findBy(sql`tools.name`, keys.names ?? []);
    const byToolId = findBy(sql`tools.tool_id`, keys.toolIds ?? []);
    return {
      byName: new Map(byName.map((tool) => [tool.name, tool])),
      byToolId: new Map(byToolId.map((tool) => [tool.tool_id, tool])),
    };
  }

  return {
    /** One tool and its newest calls, newest first, by one statement. */
    async getDetail(
      toolId: string,
    ): Promise<{ tool: ShownTool; recentCalls: RecentCall[] } | undefined> {
      const row = db.one<ShownTool & { calls: string | null }>(
        // Subqueries: measured, SQLite joins these three rows three times as slowly.
        sql`select ${NUMBERS},
            (select document from tool_documents where id = tools.id) as document,
            (select calls from recent_calls where tool = tools.id) as calls
          from tools where tool_id = ${toolId}`,
      );
      return row && { tool: row, recentCalls: parseCalls(row.calls) };
    },

    /** The row id of a tool: what its calls and their sums refer to. */
    async rowId(toolId: string): Promise<number | undefined> {
      return db.column<number>(sql`select id from tools where tool_id = ${toolId}`)[0];
    },

    /** A page of tools and the exact number of matches, all of one moment. */
    async list(query: ToolPageQuery): Promise<ToolPageRows> {
      const { sort } = query;
      if (query.filter.search !== undefined || sort === RELEVANCE) return search.find(query);
      return db.read(() => {
        const { ids, total } = queries.pageOfIds({ ...query, sort });
        return { tools: shownTools(db, ids), total };
      });
    },

    /** Up to `limit` tools behind the name `after`, in name order: walks everything in constant memory. */
    async getAfter(after: string, limit: number): Promise<StoredTool[]> {
      return db.all(
        sql`select ${STORED} from ${FROM} where tools.name > ${after} order by tools.name limit ${limit}`,
      );
    },

    /** The tools of these names, in no order; names that no tool has are passed over. */
    async findByName(names: readonly string[]): Promise<StoredTool[]> {
      return findBy(sql`tools.name`, names);
    },

    /** A page of a tool's former definitions, the newest first, and how many there are. */
    async listVersions(
      toolId: string,
      limit: number,
      offset: number,
    ): Promise<{ versions: ToolVersionRow[]; total: number } | undefined> {
      return db.read(() => {
        const tool = getByToolId(toolId);
        if (tool === undefined) return undefined;
        const [total = 0] = db.column<number>(
          sql`select count(*) from tool_versions where tool = ${tool.id}`,
        );
        return { versions: getVersions(tool.id, limit, offset), total };
      });
    },

    /** Everything of up to `limit` tools behind the name `after`, in name order. */
    async exportAfter(after: string, limit: number): Promise<ExportedTool[]> {
      return db.read(() => {
        const tools = db.all<StoredTool>(
          sql`select ${STORED} from ${FROM} where tools.name > ${after} order by tools.name limit ${limit}`,
        );
        return tools.map((tool) => ({
          tool,
          recentCalls: getRecentCalls(tool.id),
          versions: tool.revision > 1 ? getVersions(tool.id, -1, 0) : [],
        }));
      });
    },

    /**
     * Reads the named tools, lets `decide` say what to write, and writes it, in one transaction.
     * `decide` must be pure: it may run again when another process held the lock.
     * @returns what `decide` gave, and the same tools read again afterwards.
     * @throws whatever `decide` throws; nothing is written then.
     */
    async change<Result>(
      keys: Keys,
      decide: (found: Found) => { changes: ToolChanges; result: Result },
    ): Promise<{ result: Result; after: Found }> {
      return db.write(() => {
        const { changes, result } = decide(find(keys));
        if (applyChanges(db, changes) > 0) {
          raiseCatalogue(db);
        }
        return { result, after: find(keys) };
      });
    },
  };
}

function parseCalls(json: string | null): RecentCall[] {
  if (json === null) return [];
  const rows = JSON.parse(json) as [number, number, 0 | 1][];
  return rows.map(([timestamp, execution_time_ms, success]) => ({
    timestamp,
    execution_time_ms,
    success: success === 1,
  }));
}
