// Runs in a thread of its own: see narrowed-store.ts.
import { LRUCache } from 'lru-cache';
import sql from 'sql-template-tag';
import { createCallStore } from './calls.ts';
import { type Connection, openConnection } from './database.ts';
import type { NarrowedQuestion } from './narrowed-store.ts';
import { createSearchEngine } from './search-engine.ts';
import { answerQuestions, threadFile } from './thread-worker.ts';
import type { ToolPageQuery } from './tool-queries.ts';
import { createToolStore } from './tools.ts';
import { createUsageStore } from './usage.ts';

/** Lists of patterns whose connection is kept. */
const MAX_VIEWS = 32;
/** Tools in the search indexes that are kept, over all lists of patterns. */
const MAX_INDEXED_TOOLS = 200_000;
/** Of the page lists that each view remembers. */
const LIST_BYTES = 1024 * 1024;

type Engine = ReturnType<typeof createSearchEngine>;
type Methods = Record<string, Record<string, (...args: unknown[]) => Promise<unknown>>>;

const file = threadFile();

// An index of its own for each list: what is counted, weighed and corrected in a search is then of
// the visible tools alone, as in a catalogue that has no others.
const engines = new LRUCache<string, Engine>({ maxSize: MAX_INDEXED_TOOLS });
const views = new LRUCache<string, { db: Connection; methods: Methods }>({
  max: MAX_VIEWS,
  dispose: ({ db }, key) => {
    engines.delete(key);
    db.close();
  },
});

function engineOf(key: string, db: Connection): Engine {
  const known = engines.get(key);
  if (known !== undefined) return known;
  const [tools = 0] = db.column<number>(sql`select count(*) from tools`);
  const engine = createSearchEngine(db);
  engines.set(key, engine, { size: Math.min(tools + 1_000, MAX_INDEXED_TOOLS) });
  return engine;
}

function viewOf(patterns: readonly string[]): Methods {
  const key = JSON.stringify(patterns);
  const known = views.get(key);
  if (known !== undefined) return known.methods;
  const db = openConnection(file, file, { readOnly: true, only: patterns });
  const search = { find: async (query: ToolPageQuery) => engineOf(key, db).find(query) };
  const methods = {
    tools: createToolStore(db, search, LIST_BYTES),
    calls: createCallStore(db),
    // Summed up before it is asked, by who may write.
    usage: createUsageStore(db, async () => {}),
  } as unknown as Methods;
  views.set(key, { db, methods });
  return methods;
}

answerQuestions(
  ({ patterns, part, method, args }: NarrowedQuestion) =>
    viewOf(patterns)[part]?.[method]?.(...args),
  () => views.clear(),
);
