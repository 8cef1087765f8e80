import { MEMORY_TYPES, type MemoryType } from './memory-rows.ts';

/** A record: the memory's id, its path's id, and its length, the word's count and the type in one. */
export const RECORD = 3;
export const RECORD_BYTES = 4 * RECORD;

/** What a record says of a memory. */
export interface RecordedMemory {
  memory: number;
  path: number;
  length: number;
  memory_type: MemoryType;
}

export function packRecord(memory: RecordedMemory, count: number): Buffer {
  const record = Buffer.allocUnsafe(RECORD_BYTES);
  record.writeUInt32LE(memory.memory, 0);
  record.writeUInt32LE(memory.path, 4);
  record.writeUInt32LE(packInfo(memory, count), 8);
  return record;
}

/** The third number of a record. */
export function packInfo({ length, memory_type }: RecordedMemory, count: number): number {
  const type = MEMORY_TYPES.indexOf(memory_type);
  return (Math.min(length, 0xffff) | (Math.min(count, 0xff) << 16) | (type << 24)) >>> 0;
}

/** The parts of the third number. */
export function unpackInfo(info: number): { length: number; count: number; type: number } {
  return { length: info & 0xffff, count: (info >>> 16) & 0xff, type: info >>> 24 };
}

/** Records out of slices, and numbers of further ones behind them. */
export function joinRecords(slices: readonly Buffer[], further: readonly number[]): Uint32Array {
  const length = slices.reduce((sum, slice) => sum + slice.length, 0);
  const bytes = new Uint8Array(length + 4 * further.length);
  let end = 0;
  for (const slice of slices) {
    bytes.set(slice, end);
    end += slice.length;
  }
  const records = new Uint32Array(bytes.buffer);
  records.set(further, length / 4);
  return records;
}
