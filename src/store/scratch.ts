import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** A private folder beside `file`, thus on the same disk, where a file can be made ready unseen. */
export function createScratch(file: string): { folder: string; remove: () => void } {
  const folder = mkdtempSync(join(dirname(file), `.${basename(file)}.partial-`));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Returns when the file, or the names in the folder, are on the disk. */
export function syncToDisk(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
