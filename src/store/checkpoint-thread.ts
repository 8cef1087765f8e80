import { Worker } from 'node:worker_threads';

/** A checkpoint is due so long after the last one was asked for. */
const EVERY_MS = 250;
/** Commits before the first: a store that is hardly written needs no thread. */
const FIRST_AFTER = 100;

/** Length of the journal at which it is to begin anew. */
const RESTART_PAGES = 4_000;

/** Plain JavaScript, so that the small thread loads nothing but the driver. */
const SCRIPT = `
  const { parentPort, workerData: { file, from } } = require('node:worker_threads');
  const Database = require('node:module').createRequire(from)('better-sqlite3');
  const db = new Database(file, { fileMustExist: true, timeout: 1000 });
  db.pragma('wal_autocheckpoint = 0');
  parentPort.on('message', (request) => {
    if (request === 'close') {
      db.close();
      parentPort.close();
      return;
    }
    try {
      const [{ log }] = db.pragma('wal_checkpoint(passive)');
      // Holds up writers, so only for what is left; without it the journal would never begin anew.
      if (log > ${RESTART_PAGES}) db.pragma('wal_checkpoint(restart)');
    } catch {} // Busy, or the disk is full: the next one may do it, and a writer does it at last.
    parentPort.postMessage('done');
  });`;

/**
 * Copies what was committed from the journal into the file, in a thread of its own: written tools
 * lie all over the file, and the event loop would wait for all these pages. Without it, commits do
 * it themselves when the journal has grown to four times its usual length.
 */
export function createCheckpointThread(file: string) {
  let worker: Worker | undefined;
  let commits = 0;
  let isRunning = false;
  let last = 0;

  function start(): Worker {
    const started = new Worker(SCRIPT, {
      eval: true,
      workerData: { file, from: import.meta.url },
      resourceLimits: { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 32 },
    });
    const end = () => {
      if (worker !== started) return;
      worker = undefined;
      isRunning = false;
      commits = 0;
    };
    started.on('message', () => {
      isRunning = false;
    });
    started.on('error', end);
    started.on('exit', end);
    started.unref();
    return started;
  }

  return {
    /** Tells of a commit. */
    committed(): void {
      commits += 1;
      if (isRunning || commits < FIRST_AFTER || performance.now() - last < EVERY_MS) return;
      worker ??= start();
      isRunning = true;
      last = performance.now();
      worker.postMessage('checkpoint');
    },

    close(): void {
      worker?.postMessage('close');
    },
  };
}
