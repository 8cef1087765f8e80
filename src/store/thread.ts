import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { cannotAnswer, withCause } from './database.ts';
import type { ThreadAnswer, ThreadData, ThreadQuestion } from './thread-worker.ts';

/** Much is read and little allocated there, so its young generation can be small. */
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 8 };

/** A thread does not inherit the compile cache, without which it strips types: that takes 34 MB. */
const BOOT = `
  const { workerData: { script, cache } } = require('node:worker_threads');
  if (cache) require('node:module').enableCompileCache(cache);
  import(script);`;

/**
 * A thread that reads the store's file and answers questions, so that none of them stops the event
 * loop. It runs the module `name` beside this one, starts with the first question, and anew when it
 * died.
 */
export function createThread<Question, Answer>(name: string, file: string) {
  const waiting = new Map<number, PromiseWithResolvers<Answer>>();
  let worker: Worker | undefined;
  let count = 0;

  function start(): Worker {
    // Beside this file: TypeScript as it is, JavaScript in what was built.
    const script = import.meta.url.replace(/thread(\.\w+)$/, `${name}$1`);
    const kept = getCompileCacheDir();
    const workerData: ThreadData = { file, script, cache: kept && dirname(kept) };
    const started = new Worker(BOOT, { eval: true, workerData, resourceLimits: RESOURCE_LIMITS });
    started.on('message', settle);
    started.on('error', (error) => fail(started, error));
    started.on('exit', () => fail(started, new Error('The thread ended')));
    return started;
  }

  function settle(answer: ThreadAnswer<Answer>): void {
    const { number } = answer;
    const promise = waiting.get(number);
    waiting.delete(number);
    if (waiting.size === 0) worker?.unref();
    if ('value' in answer) promise?.resolve(answer.value);
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
    async ask(question: Question): Promise<Answer> {
      worker ??= start();
      // Only while someone waits does it keep the process alive.
      worker.ref();
      count += 1;
      const promise = Promise.withResolvers<Answer>();
      waiting.set(count, promise);
      worker.postMessage({ number: count, question } satisfies ThreadQuestion<Question>);
      return promise.promise;
    },

    close(): void {
      worker?.postMessage('close');
    },
  };
}
