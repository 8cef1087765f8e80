import sql from 'sql-template-tag';
import type { Connection } from './database.ts';
import { MEMORY_TYPES, type MemoryType } from './memory-rows.ts';

/** A record: the memory's id, its path's id, and its length, the word's count and the type in one. */
export const RECORD = 3;
const RECORD_BYTES = 4 * RECORD;
/** Records of a slice: with its word it fits the part of a row that SQLite keeps in the page. */
const MAX_RECORDS = 75;
/** `first` of the slice that still grows; others have the id of their first record. */
const OPEN = 0;

/** What the index says of one memory. */
export interface IndexedMemory {
  id: number;
  owner: number;
  path: number;
  memory_type: MemoryType;
  /** How many words it has, and how often each. */
  length: number;
  counts: ReadonlyMap<string, number>;
}

interface Slice {
  first: number;
  records: Buffer;
}

/** Adds a memory's words to the index of its owner, inside a transaction. */
export function addWords(db: Connection, memory: IndexedMemory, isNewest: boolean): void {
  const { id, owner, path } = memory;
  for (const [word, count] of memory.counts) {
    const record = Buffer.allocUnsafe(RECORD_BYTES);
    record.writeUInt32LE(id, 0);
    record.writeUInt32LE(path, 4);
    record.writeUInt32LE(packed(memory, count), 8);
    if (isNewest) append(db, owner, word, record);
    else insert(db, owner, word, id, record);
  }
}

/** Takes a memory's words out of the index, inside a transaction. */
export function removeWords(
  db: Connection,
  { id, owner, counts }: Pick<IndexedMemory, 'id' | 'owner' | 'counts'>,
): void {
  for (const word of counts.keys()) {
    const slice = sliceOf(db, owner, word, id);
    if (slice === undefined) continue;
    const { first, records } = slice;
    const at = placeOf(records, id);
    if (at >= records.length || records.readUInt32LE(at) !== id) continue;
    const after = Buffer.concat([records.subarray(0, at), records.subarray(at + RECORD_BYTES)]);
    if (after.length > 0) replace(db, owner, word, { first, records: after });
    else {
      db.run(sql`delete from memory_words
        where owner = ${owner} and word = ${word} and first = ${first}`);
    }
  }
}

/** One statement for nearly every word of a new memory: this is what remembering costs. */
function append(db: Connection, owner: number, word: string, record: Buffer): void {
  const [length = 0] = db.column<number>(sql`insert into memory_words (owner, word, first, records)
    values (${owner}, ${word}, ${OPEN}, ${record})
    on conflict (owner, word, first)
    do update set records = cast(records || excluded.records as blob)
    returning length(records)`);
  if (length < MAX_RECORDS * RECORD_BYTES) return;
  const [records] = openSlice(db, owner, word);
  db.run(sql`update memory_words set first = ${records?.readUInt32LE(0)}
    where owner = ${owner} and word = ${word} and first = ${OPEN}`);
}

/** At its place among the ids, in whichever slice has those around it. */
function insert(db: Connection, owner: number, word: string, id: number, record: Buffer): void {
  const slice = sliceOf(db, owner, word, id);
  if (slice === undefined) {
    append(db, owner, word, record);
    return;
  }
  const { first, records } = slice;
  const at = placeOf(records, id);
  const after = Buffer.concat([records.subarray(0, at), record, records.subarray(at)]);
  replace(db, owner, word, { first, records: after });
}

/** The parts of the third number of a record. */
export function unpacked(info: number): { length: number; count: number; type: number } {
  return { length: info & 0xffff, count: (info >>> 16) & 0xff, type: info >>> 24 };
}

function packed({ length, memory_type }: IndexedMemory, count: number): number {
  const type = MEMORY_TYPES.indexOf(memory_type);
  return (Math.min(length, 0xffff) | (Math.min(count, 0xff) << 16) | (type << 24)) >>> 0;
}

/** The slice where the memory is, or would be. */
function sliceOf(db: Connection, owner: number, word: string, id: number): Slice | undefined {
  const [records] = openSlice(db, owner, word);
  const open = records && { first: OPEN, records };
  if (records !== undefined && records.readUInt32LE(0) <= id) return open;
  const closed = db.one<Slice>(sql`select first, records from memory_words
    where owner = ${owner} and word = ${word} and first <= ${id} and first > ${OPEN}
    order by first desc limit 1`);
  return closed ?? open;
}

function openSlice(db: Connection, owner: number, word: string): Buffer[] {
  return db.column(sql`select records from memory_words
    where owner = ${owner} and word = ${word} and first = ${OPEN}`);
}

/** Where the record of a memory is, or would be, in bytes. */
function placeOf(records: Buffer, id: number): number {
  let at = records.length;
  while (at > 0 && records.readUInt32LE(at - RECORD_BYTES) >= id) at -= RECORD_BYTES;
  return at;
}

function replace(db: Connection, owner: number, word: string, { first, records }: Slice): void {
  db.run(sql`update memory_words set records = ${records}
    where owner = ${owner} and word = ${word} and first = ${first}`);
}
