import sql, { join, type Sql } from 'sql-template-tag';
import type { Connection } from './database.ts';
import type { MemoryStatus } from './memory-rows.ts';

/** Who looks at memories, and how far: a principal's id and, with a token, path prefixes. */
export interface Viewer {
  id: string;
  /** Only what is at or below one of these; absent: no limit. */
  readPaths?: readonly string[];
}

/** What a viewer may see at a moment. */
export interface MemoryView {
  /** memory_owners.id: the viewer itself, and the spaces it is a member of. */
  owners: readonly number[];
  readPaths: readonly string[] | undefined;
  /** Milliseconds. */
  now: number;
}

/** Works out the view inside the transaction whose reads it is for. */
export function viewOf(db: Connection, { id, readPaths }: Viewer, now: number): MemoryView {
  const owners = db.column<number>(sql`select id from memory_owners where name = ${id}
    or name in (select space from space_members where principal = ${id})`);
  return { owners, readPaths, now };
}

/**
 * The one gate (the plus keeps the planner from taking a status for something rare): a table `seen` of the memories that a view has, with its path as text. Every read
 * of memories is from here, so that what lies outside is like what does not exist.
 */
export function seenBy(view: MemoryView, status: MemoryStatus = 'active'): Sql {
  return sql`(${everyMemory()}
    where memories.owner in (${idList(view.owners)}) and +memories.status = ${status}
      and (memories.expires_at is null or memories.expires_at > ${view.now})
      and ${isReadable(view)}) as seen`;
}

/** All memories there are, for upkeep: nobody's answer may come from it. */
export function everyMemory(): Sql {
  return sql`select memories.id, memories.reference, memories.owner, memories.path as path_id,
      ${pathOf(sql`memories.path`)} as path, memories.memory_type, memories.status, memories.version,
      memories.created_at, memories.updated_at, memories.expires_at, memories.importance,
      memories.confidence, memories.semantic_key, memories.agent_id, memories.agent_instance_id,
      memories.content_hash, memories.metadata, memories.provenance, memories.content
    from memories`;
}

/** The same gate for former versions of one memory that is seen: a table `seen_versions`. */
export function versionsSeenBy(view: MemoryView, memory: number): Sql {
  return sql`(select memory_versions.*, ${pathOf(sql`memory_versions.path`)} as path_text
    from memory_versions
    where memory_versions.memory in (select id from ${seenBy(view)} where id = ${memory})
      and memory_versions.path in (select id from ${pathsSeenBy(view)})) as seen_versions`;
}

/** The same gate for the index of words: a table `seen_paths`, and the ids that expired. */
export function pathsSeenBy(view: MemoryView): Sql {
  return sql`(select * from memory_paths
    where owner in (${idList(view.owners)}) and ${isInside(view)}) as seen_paths`;
}

/** Memories whose words are still in the index although their time is over: a table `expired`. */
export function expiredFor(view: MemoryView): Sql {
  return sql`(select memories.id, memories.path, memories.words from memories
    where memories.expires_at <= ${view.now} and +memories.status = 'active'
      and memories.owner in (${idList(view.owners)})) as expired`;
}

/** Not a join: the engine would plan a statement with one anew each time it runs. */
function pathOf(id: Sql): Sql {
  return sql`(select memory_paths.path from memory_paths where memory_paths.id = ${id})`;
}

function isReadable(view: MemoryView): Sql {
  if (view.readPaths === undefined) return sql`1`;
  return sql`memories.path in (select id from ${pathsSeenBy(view)})`;
}

function isInside({ readPaths }: MemoryView): Sql {
  if (readPaths === undefined) return sql`1`;
  return anyOf(readPaths.map((path) => isAtOrBelow(sql`memory_paths.path`, path)));
}

/** Whether the path in a column is `path` or below it. '0' follows '/' in code. */
export function isAtOrBelow(column: Sql, path: string): Sql {
  return sql`(${column} = ${path} or (${column} >= ${`${path}/`} and ${column} < ${`${path}0`}))`;
}

export function idList(ids: readonly number[]): Sql {
  return ids.length === 0 ? sql`null` : join(ids as number[]);
}

function anyOf(terms: readonly Sql[]): Sql {
  return terms.length === 0 ? sql`0` : sql`(${join(terms as Sql[], ' or ')})`;
}
