import sql, { join, raw, type Sql } from 'sql-template-tag';
import type { Connection } from './database.ts';
import {
  expiredFor,
  idList,
  isAtOrBelow,
  pathsSeenBy,
  seenBy,
  type Viewer,
  versionsSeenBy,
  viewOf,
} from './memory-gate.ts';
import type { MemoryStatus, MemoryType, MemoryVersion, StoredMemory } from './memory-rows.ts';
import { type WaitingRow, wordsOfRow } from './memory-words.ts';
import { joinRecords, packInfo, RECORD } from './word-records.ts';

/** What lists sort by, as columns of `seen`. */
export const MEMORY_SORTS = [
  'created_at',
  'updated_at',
  'path',
  'memory_type',
  'importance',
] as const;
export type MemorySort = (typeof MEMORY_SORTS)[number];

/** All conditions hold together. */
export interface MemoryFilter {
  /** At this path or below it. */
  path?: string;
  types?: readonly MemoryType[];
  status?: MemoryStatus;
}

/** What the index has, as far as the view goes. */
export interface IndexedPaths {
  memories: number;
  words: number;
  /** Of the paths below a prefix; undefined for all. */
  below(prefix: string): Set<number>;
}

/**
 * Everything that can be read of memories, for one viewer at one moment; all through the gate.
 * To be used and thrown away inside one transaction.
 */
export function createMemoryReader(db: Connection, viewer: Viewer, now: number) {
  const view = viewOf(db, viewer, now);
  let waiting: Map<string, number[]> | undefined;
  let index: { paths: Map<number, string>; expired: Set<number>; sums: IndexedPaths } | undefined;

  return {
    get(reference: string, status: MemoryStatus = 'active'): StoredMemory | undefined {
      return db.one(sql`select * from ${seenBy(view, status)} where reference = ${reference}`);
    },

    /** Those of the ids that are seen, in no order. */
    byIds: (ids: readonly number[], status?: MemoryStatus): StoredMemory[] => byIds(ids, status),

    /** Active ones at exactly this path that are equal: by the hash of the content, or by their key. */
    findEqual(path: string, by: { hash: Uint8Array } | { key: string }): StoredMemory | undefined {
      const equals = 'hash' in by ? sql`content_hash = ${by.hash}` : sql`semantic_key = ${by.key}`;
      const [path_id = -1] = db.column<number>(
        sql`select id from ${pathsSeenBy(view)} where path = ${path}`,
      );
      return db.one(sql`select * from ${seenBy(view)} where path_id = ${path_id} and ${equals}
        limit 1`);
    },

    /** A page, and how many match. Ties are the newest first. */
    list(
      filter: MemoryFilter & { holds?: (content: string) => boolean },
      {
        sort,
        order,
        size,
        from,
      }: { sort: MemorySort; order: 'asc' | 'desc'; size: number; from: number },
    ): { memories: StoredMemory[]; total: number } {
      const seen = seenBy(view, filter.status);
      const conditions = matching(filter);
      const { holds } = filter;
      if (holds !== undefined) {
        const all = sql`select id, content from ${seen} where ${conditions}
          order by ${raw(`${sort} ${order}`)}, id desc`;
        const ids: number[] = [];
        for (const row of db.raw.prepare(all.sql).iterate(...all.values)) {
          const { id, content } = row as { id: number; content: string };
          if (holds(content)) ids.push(id);
        }
        const page = ids.slice(from, from + size);
        const found = new Map(byIds(page, filter.status).map((memory) => [memory.id, memory]));
        return { memories: page.flatMap((id) => found.get(id) ?? []), total: ids.length };
      }
      const memories = db.all<StoredMemory>(sql`select * from ${seen} where ${conditions}
        order by ${raw(`${sort} ${order}`)}, id desc limit ${size} offset ${from}`);
      const [total = 0] = db.column<number>(sql`select count(*) from ${seen} where ${conditions}`);
      return { memories, total };
    },

    /** The ids of all that match, rising. */
    ids(filter: MemoryFilter): number[] {
      return db.column(sql`select id from ${seenBy(view, filter.status)}
        where ${matching(filter)} order by id`);
    },

    /** A page of what updates of a memory replaced, the newest first, and how many there are. */
    versions(
      memory: number,
      size: number,
      from: number,
    ): { versions: MemoryVersion[]; total: number } {
      const seen = versionsSeenBy(view, memory);
      const versions = db.all<MemoryVersion>(sql`select version, path_text as path, memory_type,
        content, replaced_at from ${seen} order by version desc limit ${size} offset ${from}`);
      const [total = 0] = db.column<number>(sql`select count(*) from ${seen}`);
      return { versions, total };
    },

    /** How many memories and words the index has for the view, and which paths. */
    indexed: (): IndexedPaths => indexOf().sums,

    /** The records of a word (word-records.ts), in no order. */
    records(word: string): Uint32Array {
      const slices = db.column<Buffer>(sql`select records from memory_words
        where owner in (${idList(view.owners)}) and word = ${word}`);
      return seenRecords(joinRecords(slices, waitingWords().get(word) ?? []));
    },

    /** Up to `limit` words of the index that begin so, in no order. */
    wordsFrom(prefix: string, limit: number): string[] {
      const waiting = [...waitingWords().keys()].filter((word) => word.startsWith(prefix));
      const merged = db.column<string>(sql`select distinct word from memory_words
        where owner in (${idList(view.owners)}) and word >= ${prefix}
          and word < ${`${prefix}\u{10ffff}`} limit ${limit}`);
      return [...new Set([...merged, ...waiting])].slice(0, limit);
    },
  };

  /** Records, as numbers, of what is not in the slices yet, by word. */
  function waitingWords(): Map<string, number[]> {
    if (waiting !== undefined) return waiting;
    waiting = new Map();
    const rows = db.all<WaitingRow>(sql`select * from memory_words_waiting
      where owner in (${idList(view.owners)})`);
    for (const row of rows) {
      for (const [word, count] of wordsOfRow(row)) {
        const record = [row.memory, row.path, packInfo(row, count)];
        const known = waiting.get(word);
        if (known === undefined) waiting.set(word, record);
        else known.push(...record);
      }
    }
    return waiting;
  }

  function byIds(ids: readonly number[], status?: MemoryStatus): StoredMemory[] {
    // Looked up one by one, which the planner would not do by itself.
    return db.all(sql`select seen.* from json_each(${JSON.stringify(ids)}) as wanted
      cross join ${seenBy(view, status)} on seen.id = wanted.value`);
  }

  function indexOf() {
    if (index !== undefined) return index;
    const rows = db.all<{ id: number; path: string; memories: number; words: number }>(
      sql`select id, path, memories, words from ${pathsSeenBy(view)}`,
    );
    const paths = new Map(rows.map(({ id, path }) => [id, path]));
    const gone = db
      .all<{ id: number; path: number; words: number }>(sql`select * from ${expiredFor(view)}`)
      .filter(({ path }) => paths.has(path));
    const sums = {
      memories: rows.reduce((sum, { memories }) => sum + memories, 0) - gone.length,
      words:
        rows.reduce((sum, { words }) => sum + words, 0) -
        gone.reduce((sum, { words }) => sum + words, 0),
      below: (prefix: string) =>
        new Set(
          rows.flatMap(({ id, path }) =>
            path === prefix || path.startsWith(`${prefix}/`) ? [id] : [],
          ),
        ),
    };
    index = { paths, expired: new Set(gone.map(({ id }) => id)), sums };
    return index;
  }

  function seenRecords(records: Uint32Array): Uint32Array {
    const { paths, expired } = indexOf();
    if (view.readPaths === undefined && expired.size === 0) return records;
    let kept = 0;
    for (let at = 0; at < records.length; at += RECORD) {
      if (expired.has(records[at] as number) || !paths.has(records[at + 1] as number)) continue;
      records.copyWithin(kept, at, at + RECORD);
      kept += RECORD;
    }
    return records.subarray(0, kept);
  }
}

export type MemoryReader = ReturnType<typeof createMemoryReader>;

function matching({ path, types }: MemoryFilter): Sql {
  const terms: Sql[] = [sql`1`];
  if (path !== undefined) terms.push(isAtOrBelow(sql`path`, path));
  if (types !== undefined) terms.push(sql`memory_type in (${join(types as MemoryType[])})`);
  return join(terms, ' and ');
}
