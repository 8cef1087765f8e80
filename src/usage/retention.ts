import { setTimeout as delay } from 'node:timers/promises';
import type { Store } from '../store/store.ts';

const EVERY_MS = 10 * 60_000;
/** Between steps, so that requests and other writers come first. */
const PAUSE_MS = 20;

/**
 * Removes what is kept no longer, calls, hours and expired memories, in small steps, now and every ten
 * minutes.
 * @returns stops it; resolves when the running step is done.
 */
export function startRetention(
  store: Pick<Store, 'calls' | 'memories'>,
  onError: (error: unknown) => void,
): () => Promise<void> {
  const stop = new AbortController();

  async function run(): Promise<void> {
    while (!stop.signal.aborted) {
      const hasMore = await expireSome(store).catch((error: unknown) => {
        onError(error);
        return false;
      });
      const pause = hasMore ? PAUSE_MS : EVERY_MS;
      await delay(pause, undefined, { signal: stop.signal, ref: false }).catch(() => undefined);
    }
  }

  const running = run();
  return () => {
    stop.abort();
    return running;
  };
}

async function expireSome(store: Pick<Store, 'calls' | 'memories'>): Promise<boolean> {
  const hasMoreCalls = await store.calls.expireSome(Date.now());
  const { hasMore, hasErased } = await store.memories.expireSome(Date.now());
  if (hasErased || store.memories.needsSweep()) await store.memories.sweep();
  return hasMoreCalls || hasMore;
}
