import { LRUCache } from 'lru-cache';
import sql, { empty, join, raw, type Sql } from 'sql-template-tag';
import type { WordReason } from '../search/explain.ts';
import type { Query } from '../search/grammar.ts';
import type { Connection, Versions } from './database.ts';
import type { ShownTool, ToolStatus } from './tools.ts';

/** Every sort of the list by its name on the wire, and its column. */
export const SORT_COLUMNS = {
  name: 'name',
  created_at: 'created_at',
  updated_at: 'updated_at',
  category: 'category',
  'usage_stats.total_calls': 'total_calls',
  'usage_stats.success_rate': 'success_rate',
  'usage_stats.avg_execution_time_ms': 'avg_execution_time_ms',
} as const;

export type ToolSort = keyof typeof SORT_COLUMNS;
export type Order = 'asc' | 'desc';

/** All conditions hold together; an absent one is not applied. */
export interface ToolFilter {
  category?: string;
  status?: ToolStatus;
  author?: string;
  server?: string;
  read_only?: boolean;
  /** Any of them. */
  tags?: readonly string[];
  /** Compared with the rate as shown. */
  min_success_rate?: number;
  /** Answered by search-engine.ts. */
  search?: Query;
  /** With a search that does not rank: it looks into tags and category as well. */
  in_labels?: true;
}

/** A filter, a sort and the page of it that is wanted. */
export interface ToolPageQuery {
  filter: ToolFilter;
  /** By relevance only with a search. */
  sort: ToolSort | typeof RELEVANCE;
  order: Order;
  size: number;
  from: number;
  /** With the sort by relevance: say of each tool why it ranks where it does. */
  explain?: boolean;
  /** With the sort by relevance: what a model makes of the search, to rank by meaning as well. */
  meaning?: { model: string; vector: Uint8Array };
}

/** The sort of a search that ranks, which is no column. */
export const RELEVANCE = 'relevance';

/** How well a tool answers a search that ranks. */
export interface Relevance {
  /** 0 to 1. */
  score: number;
  explanation?: Explanation;
}

/** Why a tool ranks where it does. */
interface Explanation {
  /** What the whole search is to the tool's name. */
  name?: 'equal' | 'begins';
  words: WordReason[];
}

/** One page of tools and the exact number of matches, both of the same moment. */
export interface ToolPageRows {
  tools: ShownTool[];
  total: number;
  /** Of each of the tools, with the sort by relevance. */
  relevance?: Relevance[];
  /** Whether meaning took part. */
  isHybrid?: boolean;
}

/** One page of row ids and the exact number of matches, both of the same moment. */
export interface ToolIdPage {
  ids: ArrayLike<number>;
  total: number;
}

/** What a remembered list is about, and the state of the store that it shows. */
interface RememberedList {
  stamp: string;
  total: number;
  ids?: Uint32Array;
}

/** Bytes of all remembered lists: a row id takes 4, a character of a key 2. */
const MAX_REMEMBERED_BYTES = 24 * 1024 * 1024;

/**
 * Filtering, sorting and counting over the narrow rows.
 * The first page of a filter and sort is read by LIMIT and OFFSET; the second one that is asked of
 * the same, unchanged catalogue reads the whole list of ids once, and later ones are slices of it.
 */
export function createToolQueries(db: Connection, listBytes = MAX_REMEMBERED_BYTES) {
  const lists = new LRUCache<string, RememberedList>({
    maxSize: listBytes,
    sizeCalculation: (list, key) => 400 + 2 * key.length + (list.ids?.byteLength ?? 0),
  });

  function listIds(filter: ToolFilter, sort: ToolSort, order: Order, limit: Sql): number[] {
    return db.column(sql`select id from tools ${where(filter)} ${orderBy(sort, order)} ${limit}`);
  }

  return {
    /** For filters without a search. Call it inside `db.read`. */
    pageOfIds({ filter, sort, order, size, from }: ToolPageQuery & { sort: ToolSort }): ToolIdPage {
      const stamp = stampOf(db.versions(), followsUsage(filter, sort));
      const key = JSON.stringify([filter, sort, order]);
      const known = lists.get(key);
      if (known?.stamp !== stamp) {
        const ids = listIds(filter, sort, order, sql`limit ${size} offset ${from}`);
        const total = ids.length > 0 && ids.length < size ? from + ids.length : count(db, filter);
        lists.set(key, { stamp, total });
        return { ids, total };
      }
      const ids = known.ids ?? Uint32Array.from(listIds(filter, sort, order, empty));
      if (known.ids === undefined) lists.set(key, { ...known, ids });
      return { ids: ids.subarray(from, from + size), total: known.total };
    },
  };
}

/** Every sort ends in the name, ascending. */
export function orderBy(sort: ToolSort, order: Order): Sql {
  const column = SORT_COLUMNS[sort];
  return raw(`order by ${column} ${order}${column === 'name' ? '' : ', name'}`);
}

/** True when the answer can change by recorded calls alone. */
export function followsUsage(filter: ToolFilter, sort: ToolSort): boolean {
  return filter.min_success_rate !== undefined || sort.startsWith('usage_stats.');
}

/** What a remembered answer is valid for. */
export function stampOf(versions: Versions, usage: boolean): string {
  return usage ? `${versions.catalogue}.${versions.usage}` : `${versions.catalogue}`;
}

function count(db: Connection, filter: ToolFilter): number {
  return db.column<number>(sql`select count(*) from tools ${where(filter)}`)[0] ?? 0;
}

/** The condition of all filters but the search; nothing when there are none. */
export function where(filter: ToolFilter): Sql {
  const terms: Sql[] = [];
  if (filter.category !== undefined) terms.push(sql`category = ${filter.category}`);
  if (filter.status !== undefined) terms.push(sql`status = ${filter.status}`);
  // Said twice, so that the index over the few tools that are not active serves.
  if (filter.status !== undefined && filter.status !== 'active')
    terms.push(sql`status <> 'active'`);
  if (filter.author !== undefined) terms.push(sql`author = ${filter.author} and author <> ''`);
  if (filter.server !== undefined) terms.push(sql`server = ${filter.server} and server <> ''`);
  if (filter.read_only !== undefined) terms.push(sql`read_only = ${Number(filter.read_only)}`);
  if (filter.min_success_rate !== undefined) {
    terms.push(sql`success_rate >= ${filter.min_success_rate}`);
  }
  if (filter.tags !== undefined) {
    terms.push(
      sql`id in (select tool from tool_tags where tag in (select value from json_each(${JSON.stringify(filter.tags)})))`,
    );
  }
  return terms.length === 0 ? empty : sql`where ${join(terms, ' and ')}`;
}
