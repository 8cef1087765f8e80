import sql from 'sql-template-tag';
import type { Connection } from './database.ts';
import { contentFacts } from './memory-facts.ts';
import type { MemoryStatus, MemoryValues, StoredMemory } from './memory-rows.ts';
import { addWords, removeWords } from './memory-words.ts';

/** Writes of memories, all inside a transaction of the caller. Who may do them is asked before. */
export function createMemoryWriter(db: Connection) {
  function ownerId(name: string): number {
    const [known] = db.column<number>(sql`select id from memory_owners where name = ${name}`);
    if (known !== undefined) return known;
    return Number(db.run(sql`insert into memory_owners (name) values (${name})`).lastInsertRowid);
  }

  function pathId(owner: number, path: string): number {
    const [known] = db.column<number>(
      sql`select id from memory_paths where owner = ${owner} and path = ${path}`,
    );
    if (known !== undefined) return known;
    return Number(
      db.run(sql`insert into memory_paths (owner, path) values (${owner}, ${path})`)
        .lastInsertRowid,
    );
  }

  function index(memory: StoredMemory, sign: 1 | -1): void {
    if (memory.status !== 'active') return;
    const { length, counts } = contentFacts(memory.content);
    if (sign === 1) addWords(db, { ...memory, path: memory.path_id, length, counts });
    else removeWords(db, { ...memory, counts });
    db.run(sql`update memory_paths set memories = memories + ${sign},
      words = words + ${sign * length} where id = ${memory.path_id}`);
  }

  /** A path that nothing is at any more may tell of what was there. */
  function dropPath(path: number): void {
    db.run(sql`delete from memory_paths where id = ${path}
      and not exists (select 1 from memories where path = ${path})
      and not exists (select 1 from memory_versions where path = ${path})`);
  }

  const versionPaths = ({ id }: StoredMemory): number[] =>
    db.column(sql`select distinct path from memory_versions where memory = ${id}`);

  function keepVersion({ id, version, path_id, memory_type, content }: StoredMemory, now: number) {
    db.run(sql`insert into memory_versions (memory, version, path, replaced_at, memory_type, content)
      values (${id}, ${version}, ${path_id}, ${now}, ${memory_type}, ${content})`);
  }

  function write(memory: StoredMemory): void {
    const { hash, length } = contentFacts(memory.content);
    db.run(sql`update memories set owner = ${memory.owner}, path = ${memory.path_id},
      memory_type = ${memory.memory_type}, status = ${memory.status}, version = ${memory.version},
      updated_at = ${memory.updated_at}, expires_at = ${memory.expires_at},
      importance = ${memory.importance}, confidence = ${memory.confidence},
      semantic_key = ${memory.semantic_key}, agent_id = ${memory.agent_id},
      agent_instance_id = ${memory.agent_instance_id},
      content_hash = ${hash}, words = ${length}, metadata = ${memory.metadata},
      provenance = ${memory.provenance}, content = ${memory.content} where id = ${memory.id}`);
  }

  return {
    /** A new memory of this owner: a principal's id, or a space's. */
    insert(ownerName: string, reference: string, values: MemoryValues, now: number): StoredMemory {
      const owner = ownerId(ownerName);
      const path_id = pathId(owner, values.path);
      const facts = contentFacts(values.content);
      const { lastInsertRowid } = db.run(sql`insert into memories (reference, owner, path,
          memory_type, status, version, created_at, updated_at, expires_at, importance, confidence,
          semantic_key, agent_id, agent_instance_id, content_hash, metadata, provenance, words, content)
        values (${reference}, ${owner}, ${path_id}, ${values.memory_type}, 'active', 1, ${now},
          ${now}, ${values.expires_at}, ${values.importance}, ${values.confidence},
          ${values.semantic_key}, ${values.agent_id}, ${values.agent_instance_id},
          ${facts.hash}, ${values.metadata}, ${values.provenance}, ${facts.length},
          ${values.content})`);
      const memory: StoredMemory = {
        ...values,
        id: Number(lastInsertRowid),
        reference,
        owner,
        path_id,
        status: 'active',
        version: 1,
        created_at: now,
        updated_at: now,
      };
      index(memory, 1);
      return memory;
    },

    /** Puts other values in the place of a memory's; what was there is kept as a version. */
    update(
      old: StoredMemory,
      ownerName: string,
      values: MemoryValues & { status: MemoryStatus },
      now: number,
    ): StoredMemory {
      keepVersion(old, now);
      index(old, -1);
      const owner = ownerId(ownerName);
      const path_id = pathId(owner, values.path);
      const version = old.version + 1;
      const memory = { ...old, ...values, owner, path_id, version, updated_at: now };
      write(memory);
      index(memory, 1);
      return memory;
    },

    /** Lets a memory stay as long as the later of both times says; null is for ever. */
    prolong(old: StoredMemory, expires_at: number | null): StoredMemory {
      const isLater =
        old.expires_at !== null && (expires_at === null || expires_at > old.expires_at);
      if (!isLater) return old;
      db.run(sql`update memories set expires_at = ${expires_at} where id = ${old.id}`);
      return { ...old, expires_at };
    },

    setStatus(old: StoredMemory, status: MemoryStatus, now: number): StoredMemory {
      index(old, -1);
      const memory = { ...old, status, updated_at: now };
      db.run(sql`update memories set status = ${status}, updated_at = ${now} where id = ${old.id}`);
      index(memory, 1);
      return memory;
    },

    /** Removes a memory with all that came from it. */
    erase(old: StoredMemory): void {
      index(old, -1);
      const paths = [old.path_id, ...versionPaths(old)];
      db.run(sql`delete from memories where id = ${old.id}`);
      for (const path of paths) dropPath(path);
    },

    /** Puts a text in the place of the content, of which nothing stays, nor of what described it. */
    redact(old: StoredMemory, content: string, now: number): StoredMemory {
      index(old, -1);
      const paths = versionPaths(old);
      db.run(sql`delete from memory_versions where memory = ${old.id}`);
      db.run(sql`delete from memory_requests where memory = ${old.id}`);
      for (const path of paths) dropPath(path);
      const memory: StoredMemory = {
        ...old,
        content,
        metadata: '{}',
        provenance: '{}',
        semantic_key: null,
        version: old.version + 1,
        updated_at: now,
      };
      write(memory);
      index(memory, 1);
      return memory;
    },

    /** Makes a memory, with what it was before, another owner's; its paths stay. */
    give(old: StoredMemory, ownerName: string): void {
      index(old, -1);
      const owner = ownerId(ownerName);
      const versions = db.all<{ id: number; path: string }>(sql`select id, path from memory_paths
        where id in (select value from json_each(${JSON.stringify(versionPaths(old))}))`);
      for (const { id, path } of versions) {
        db.run(sql`update memory_versions set path = ${pathId(owner, path)}
          where memory = ${old.id} and path = ${id}`);
      }
      const memory = { ...old, owner, path_id: pathId(owner, old.path) };
      write(memory);
      index(memory, 1);
      for (const id of new Set([old.path_id, ...versions.map((each) => each.id)])) dropPath(id);
    },

    /** Remembers a request that may come again. */
    noteRequest(request: MemoryRequest, memory: number, now: number): void {
      const { principal, token, key, body } = request;
      db.run(sql`insert into memory_requests (principal, token, key_hash, body_hash, memory, at)
        values (${principal}, ${token}, ${key}, ${body}, ${memory}, ${now})`);
    },

    /** What an earlier request with this key wrote: the hash of its body, and the reference. */
    findRequest({
      principal,
      token,
      key,
    }: MemoryRequest): { body: Buffer; reference: string } | undefined {
      return db.one(sql`select body_hash as body, reference from memory_requests
        join memories on memories.id = memory_requests.memory
        where principal = ${principal} and token = ${token} and key_hash = ${key}`);
    },
  };
}

export type MemoryWriter = ReturnType<typeof createMemoryWriter>;

/** Hashes of an idempotency key and of what was asked with it, and who asked. */
export interface MemoryRequest {
  principal: string;
  token: string;
  key: Uint8Array;
  body: Uint8Array;
}
