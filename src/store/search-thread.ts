import { createThread } from './thread.ts';
import type { ToolPageQuery, ToolPageRows } from './tool-queries.ts';

export type SearchThread = ReturnType<typeof createSearchThread>;

/** Searches in a thread of its own: see search-worker.ts. */
export function createSearchThread(file: string) {
  const thread = createThread<ToolPageQuery, ToolPageRows>('search-worker', file);
  return {
    /** @throws AppError ServiceUnavailableError when the store or the thread cannot answer. */
    find: (query: ToolPageQuery): Promise<ToolPageRows> => thread.ask(query),
    close: () => thread.close(),
  };
}
