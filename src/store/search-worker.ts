// Runs in a thread of its own with a connection of its own: see search-thread.ts.
import { openConnection } from './database.ts';
import { createSearchEngine } from './search-engine.ts';
import { answerQuestions, threadFile } from './thread-worker.ts';

const file = threadFile();
const db = openConnection(file, file, { readOnly: true });
const engine = createSearchEngine(db);

answerQuestions(engine.find, () => db.close());
