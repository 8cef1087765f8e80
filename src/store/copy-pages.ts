import { setTimeout as delay } from 'node:timers/promises';
import type Database from 'better-sqlite3';

/** Pages between two turns of the event loop; about 8 MB. */
const PAGES_A_STEP = 2_000;

/** How long the target's lock is waited for. */
const PATIENCE_MS = 30_000;

export interface CopyOptions {
  /** Called now and then with the part that is done, 0 to 1. */
  onProgress?: ((done: number) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Makes `target` the same as the database behind `source`, page by page in one transaction: until
 * it ends, others see the old content, also when this process is killed.
 * @throws Error when the target stays locked, when `signal` aborts, or the engine's error.
 */
export async function copyPages(
  source: Database.Database,
  target: string,
  { onProgress, signal }: CopyOptions = {},
): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    signal?.throwIfAborted();
    const { totalPages } = await source.backup(target, {
      progress: ({ totalPages: total, remainingPages: remaining }) => {
        signal?.throwIfAborted();
        onProgress?.(1 - remaining / total);
        return PAGES_A_STEP;
      },
    });
    // When the target is locked, better-sqlite3 takes "nothing counted yet" for "nothing left".
    if (totalPages > 0) return;
    if (performance.now() > deadline) throw new Error('another process holds the lock');
    await delay(5 + Math.random() * 20);
  }
}
