import sql from 'sql-template-tag';
import type { Connection } from './database.ts';
import { contentFacts } from './memory-facts.ts';
import { everyMemory } from './memory-gate.ts';
import type { StoredMemory } from './memory-rows.ts';
import { addWords, type WaitingRow, wordsOfRow } from './memory-words.ts';
import { packRecord, RECORD_BYTES } from './word-records.ts';

/** An active memory with what is derived from its content. */
type IndexedRow = StoredMemory & { words: number; content_hash: Buffer };

/** What an owner's memories and their index were found to be. */
export interface OwnerAudit {
  memories: number;
  faults: string[];
}

/** Checking and rebuilding the index of the memories' words, owner by owner. */
export function createMemoryMaintenance(db: Connection) {
  const ofOwner = (owner: number) => sql`select every.*,
      (select words from memories where memories.id = every.id) as words
    from (${everyMemory()} where memories.owner = ${owner}) as every order by every.id`;

  return {
    /** Row ids of whose memories there are, or words of memories. */
    async memoryOwners(): Promise<number[]> {
      return db.column(sql`select id from memory_owners union select owner from memory_words
        union select owner from memory_words_waiting`);
    },

    /**
     * Compares the index of an owner's words, the counts of its paths and the facts of its contents
     * with the memories. The index is compared by a sum over its records, so that memory stays
     * bounded.
     */
    async auditMemories(owner: number): Promise<OwnerAudit> {
      return db.read(() => {
        const faults: string[] = [];
        const expected = createSum();
        let memories = 0;
        let wrongFacts = 0;
        for (const row of db.each<IndexedRow>(ofOwner(owner))) {
          memories += 1;
          const { length, counts, hash } = contentFacts(row.content);
          if (!row.content_hash.equals(hash) || row.words !== length) wrongFacts += 1;
          if (row.status !== 'active') continue;
          const memory = {
            memory: row.id,
            path: row.path_id,
            length,
            memory_type: row.memory_type,
          };
          for (const [word, count] of counts) expected.add(word, packRecord(memory, count));
        }
        if (wrongFacts > 0)
          faults.push(`${wrongFacts} memories have the hash or length of another content`);
        if (indexSum(db, owner) !== expected.value()) {
          faults.push('the index of words is not that of the contents');
        }
        const paths = db.column(sql`select id from memory_paths where owner = ${owner}
          and (memories <> ${ACTIVE_MEMORIES} or words <> ${ACTIVE_WORDS})`).length;
        if (paths > 0) faults.push(`${paths} paths count other memories than there are`);
        return { memories, faults };
      });
    },

    /** Writes anew what `auditMemories` compares, in one transaction. */
    async rebuildMemories(owner: number): Promise<void> {
      await db.write(() => {
        db.run(sql`delete from memory_words where owner = ${owner}`);
        db.run(sql`delete from memory_words_waiting where owner = ${owner}`);
        db.run(sql`update memory_owners set merged = 0 where id = ${owner}`);
        const ids = db.column<number>(
          sql`select id from memories where owner = ${owner} order by id`,
        );
        for (const id of ids) {
          const [row] = db.all<StoredMemory>(sql`${everyMemory()} where memories.id = ${id}`);
          if (row === undefined) continue;
          const { length, counts, hash } = contentFacts(row.content);
          db.run(
            sql`update memories set content_hash = ${hash}, words = ${length} where id = ${id}`,
          );
          if (row.status === 'active') addWords(db, { ...row, path: row.path_id, length, counts });
        }
        db.run(sql`update memory_paths set memories = ${ACTIVE_MEMORIES}, words = ${ACTIVE_WORDS}
          where owner = ${owner}`);
      });
    },
  };
}

/** Of the path of the row at hand. */
const ACTIVE_MEMORIES = sql`(select count(*) from memories
  where memories.path = memory_paths.id and status = 'active')`;
const ACTIVE_WORDS = sql`(select coalesce(sum(memories.words), 0) from memories
  where memories.path = memory_paths.id and status = 'active')`;

/** The sum over what the index has; NaN, which equals nothing, when a slice is out of order. */
function indexSum(db: Connection, owner: number): number {
  const sum = createSum();
  const slices = sql`select word, first, records from memory_words where owner = ${owner}`;
  for (const { word, first, records } of db.each<SliceRow>(slices)) {
    let last = first - 1;
    for (let at = 0; at < records.length; at += RECORD_BYTES) {
      const memory = records.readUInt32LE(at);
      if (memory <= last) return Number.NaN;
      last = memory;
      sum.add(word, records.subarray(at, at + RECORD_BYTES));
    }
  }
  for (const row of db.each<WaitingRow>(
    sql`select * from memory_words_waiting where owner = ${owner}`,
  )) {
    for (const [word, count] of wordsOfRow(row)) sum.add(word, packRecord(row, count));
  }
  return sum.value();
}

interface SliceRow {
  word: string;
  first: number;
  records: Buffer;
}

/** A sum of hashes (FNV-1a) of records with their words, whatever their order. */
function createSum() {
  let sum = 0;
  return {
    add(word: string, record: Uint8Array): void {
      let hash = 0x811c9dc5;
      for (let at = 0; at < word.length; at += 1) {
        hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193);
      }
      for (const byte of record) hash = Math.imul(hash ^ byte, 0x01000193);
      sum = (sum + (hash >>> 0)) % 2 ** 48;
    },
    value: (): number => sum,
  };
}
