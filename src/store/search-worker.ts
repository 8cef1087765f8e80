// Runs in a thread of its own with a connection of its own: see search-thread.ts.
import { parentPort, workerData } from 'node:worker_threads';
import { AppError } from '../errors.ts';
import { asAppError, openConnection } from './database.ts';
import { createSearchEngine } from './search-engine.ts';
import type { SearchAnswer, SearchRequest, SearchWorkerData } from './search-thread.ts';

const { file } = workerData as SearchWorkerData;
const db = openConnection(file, file, { readOnly: true });
const engine = createSearchEngine(db);

parentPort?.on('message', (request: SearchRequest | 'close') => {
  if (request === 'close') {
    db.close();
    parentPort?.close();
    return;
  }
  parentPort?.postMessage(answer(request));
});

function answer({ number, query }: SearchRequest): SearchAnswer {
  try {
    return { number, page: engine.find(query) };
  } catch (error) {
    const known = asAppError(error);
    return {
      number,
      fault: error instanceof Error ? (error.stack ?? error.message) : String(error),
      isUnavailable: known instanceof AppError,
    };
  }
}
