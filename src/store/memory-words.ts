import sql from 'sql-template-tag';
import type { Connection } from './database.ts';
import type { MemoryType } from './memory-rows.ts';
import { packRecord, RECORD_BYTES } from './word-records.ts';

/** Memories of an owner whose words wait for the slices; a search looks through them one by one. */
const MAX_WAITING = 256;
/** Records of a slice: with its word it fits the part of a row that SQLite keeps in the page. */
const MAX_BYTES = 75 * RECORD_BYTES;
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

export interface WaitingRow {
  memory: number;
  path: number;
  length: number;
  memory_type: MemoryType;
  words: string;
}

interface Slice {
  first: number;
  records: Buffer;
}

/** Adds a memory's words to the index of its owner, inside a transaction. */
export function addWords(db: Connection, memory: IndexedMemory): void {
  const { id, owner, path, memory_type, length } = memory;
  const words = Array.from(memory.counts, ([word, count]) =>
    count === 1 ? word : `${word}:${count}`,
  );
  db.run(sql`insert into memory_words_waiting (owner, memory, path, length, memory_type, words)
    values (${owner}, ${id}, ${path}, ${length}, ${memory_type}, ${words.join(' ')})`);
  const [waiting = 0] = db.column<number>(
    sql`select count(*) from memory_words_waiting where owner = ${owner}`,
  );
  if (waiting >= MAX_WAITING) mergeWords(db, owner);
}

/** Takes a memory's words out of the index, inside a transaction. */
export function removeWords(
  db: Connection,
  { id, owner, counts }: Pick<IndexedMemory, 'id' | 'owner' | 'counts'>,
): void {
  const { changes } = db.run(sql`delete from memory_words_waiting
    where owner = ${owner} and memory = ${id}`);
  if (changes > 0) return;
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

/** The words of a row that waits, with how often each is there. */
export function* wordsOfRow({ words }: Pick<WaitingRow, 'words'>): Generator<[string, number]> {
  for (const entry of words.split(' ')) {
    const at = entry.indexOf(':');
    if (at > 0) yield [entry.slice(0, at), Number(entry.slice(at + 1))];
    else if (entry !== '') yield [entry, 1];
  }
}

/** Puts what waits into the slices. */
function mergeWords(db: Connection, owner: number): void {
  const rows = db.all<WaitingRow>(sql`select memory, path, length, memory_type, words
    from memory_words_waiting where owner = ${owner}`);
  rows.sort((a, b) => a.memory - b.memory);
  const [merged = 0] = db.column<number>(sql`select merged from memory_owners where id = ${owner}`);
  const newer = new Map<string, Buffer[]>();
  for (const row of rows) {
    for (const [word, count] of wordsOfRow(row)) {
      const record = packRecord(row, count);
      if (row.memory <= merged) insert(db, owner, word, row.memory, record);
      else {
        const known = newer.get(word);
        if (known === undefined) newer.set(word, [record]);
        else known.push(record);
      }
    }
  }
  for (const [word, records] of newer) append(db, owner, word, Buffer.concat(records));
  const last = Math.max(merged, rows.at(-1)?.memory ?? 0);
  db.run(sql`update memory_owners set merged = ${last} where id = ${owner}`);
  db.run(sql`delete from memory_words_waiting where owner = ${owner}`);
}

/** Behind all that is there, mostly in one statement. */
function append(db: Connection, owner: number, word: string, added: Buffer): void {
  const [length = 0] = db.column<number>(sql`insert into memory_words (owner, word, first, records)
    values (${owner}, ${word}, ${OPEN}, ${added})
    on conflict (owner, word, first)
    do update set records = cast(records || excluded.records as blob)
    returning length(records)`);
  if (length < MAX_BYTES) return;
  const [all = added] = openSlice(db, owner, word);
  let at = 0;
  for (; all.length - at >= MAX_BYTES; at += MAX_BYTES) {
    const records = all.subarray(at, at + MAX_BYTES);
    db.run(sql`insert into memory_words (owner, word, first, records)
      values (${owner}, ${word}, ${records.readUInt32LE(0)}, ${records})`);
  }
  const rest = all.subarray(at);
  if (rest.length > 0) replace(db, owner, word, { first: OPEN, records: rest });
  else {
    db.run(sql`delete from memory_words
      where owner = ${owner} and word = ${word} and first = ${OPEN}`);
  }
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
