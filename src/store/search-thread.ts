import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { cannotAnswer, withCause } from './database.ts';
import type { ToolPageQuery, ToolPageRows } from './tool-queries.ts';

/** What the thread is asked. */
export interface SearchRequest {
  number: number;
  query: ToolPageQuery;
}

/** What it answers: a page, or why there is none. */
export type SearchAnswer =
  | { number: number; page: ToolPageRows }
  | { number: number; fault: string; isUnavailable: boolean };

/** Much is read and little allocated there, so its young generation can be small. */
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 8 };

/** What the thread is given. */
export interface SearchWorkerData {
  file: string;
  script: string;
  cache: string | undefined;
}

/** A thread does not inherit the compile cache, without which it strips types: that takes 34 MB. */
const BOOT = `
  const { workerData: { script, cache } } = require('node:worker_threads');
  if (cache) require('node:module').enableCompileCache(cache);
  import(script);`;

export type SearchThread = ReturnType<typeof createSearchThread>;

/**
 * Searches in a thread of its own, so that none of them stops the event loop. The thread starts with
 * the first search, and anew when it died.
 */
export function createSearchThread(file: string) {
  const waiting = new Map<number, PromiseWithResolvers<ToolPageRows>>();
  let worker: Worker | undefined;
  let count = 0;

  function start(): Worker {
    // Beside this file: TypeScript as it is, JavaScript in what was built.
    const script = import.meta.url.replace(/search-thread(\.\w+)$/, 'search-worker$1');
    const kept = getCompileCacheDir();
    const workerData: SearchWorkerData = { file, script, cache: kept && dirname(kept) };
    const started = new Worker(BOOT, { eval: true, workerData, resourceLimits: RESOURCE_LIMITS });
    started.on('message', settle);
    started.on('error', (error) => fail(started, error));
    started.on('exit', () => fail(started, new Error('The search thread ended')));
    return started;
  }

  function settle(answer: SearchAnswer): void {
    const { number } = answer;
    const promise = waiting.get(number);
    waiting.delete(number);
    if (waiting.size === 0) worker?.unref();
    if ('page' in answer) promise?.resolve(answer.page);
    else {
      const error = new Error(answer.fault);
      promise?.reject(answer.isUnavailable ? withCause(cannotAnswer(), error) : error);
    }
  }

  function fail(ended: Worker, error: Error): void {
    if (worker !== ended) return;
    worker = undefined;
    for (const promise of waiting.values()) promise.reject(withCause(cannotAnswer(), error));
    waiting.clear();
  }

  return {
    /** @throws AppError ServiceUnavailableError when the store or the thread cannot answer. */
    async find(query: ToolPageQuery): Promise<ToolPageRows> {
      worker ??= start();
      // Only while someone waits does it keep the process alive.
      worker.ref();
      count += 1;
      const promise = Promise.withResolvers<ToolPageRows>();
      waiting.set(count, promise);
      worker.postMessage({ number: count, query } satisfies SearchRequest);
      return promise.promise;
    },

    close(): void {
      worker?.postMessage('close');
    },
  };
}
