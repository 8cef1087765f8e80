import { setTimeout as delay } from 'node:timers/promises';
import type { Store } from '../store/store.ts';

const SUM_UP_EVERY_MS = 1_000;
const EXPIRE_EVERY_MS = 10 * 60_000;
/** Between steps, so that requests and other writers come first. */
const PAUSE_MS = 20;

/**
/**
 * Adds new calls to the sums by hour and day each second, and every ten minutes removes what is kept
 * no longer: calls, hours and expired memories. All in small steps.
 * @returns stops it; resolves when the running step is done.
 */
export function startRetention(
  store: Pick<Store, 'calls' | 'memories'>,
  onError: (error: unknown) => void,
): () => Promise<void> {
  const stop = new AbortController();

  /** Does `step` until it says that there is no more, and again after a time. */
  async function repeat(step: () => Promise<boolean>, everyMs: number): Promise<void> {
    while (!stop.signal.aborted) {
      const hasMore = await step().catch((error: unknown) => {
        onError(error);
        return false;
      });
      const pause = hasMore ? PAUSE_MS : everyMs;
      await delay(pause, undefined, { signal: stop.signal, ref: false }).catch(() => undefined);
    }
  }

  const running = Promise.all([
    repeat(() => store.calls.sumUpSome(), SUM_UP_EVERY_MS),
    repeat(() => expireSome(store), EXPIRE_EVERY_MS),
  ]);
  return async () => {
    stop.abort();
    await running;
  };
}

async function expireSome(store: Pick<Store, 'calls' | 'memories'>): Promise<boolean> {
  const hasMoreCalls = await store.calls.expireSome(Date.now());
  const { hasMore, hasErased } = await store.memories.expireSome(Date.now());
  if (hasErased || store.memories.needsSweep()) await store.memories.sweep();
  return hasMoreCalls || hasMore;
}
