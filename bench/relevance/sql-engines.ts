import Database from 'better-sqlite3';
import type { Definition } from '../../src/catalogue/tool-document.ts';
import { DEPTH, type Engine } from './engines.ts';
import { labelsOf, parametersOf, splitNames, tellingWords } from './texts.ts';

/** `LIKE '%the whole query%'`, in the order of names. */
export function startLike(tools: readonly Definition[]): Engine {
  const db = new Database(':memory:');
  db.exec('create table tools (name text, description text)');
  const insert = db.prepare('insert into tools values (?, ?)');
  for (const { name, description } of tools) insert.run(name, description);
  const select = db.prepare(
    "select name from tools where name like ? escape '\\' or description like ? escape '\\' order by name limit ?",
  );
  return {
    search(text) {
      const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`;
      return select.pluck().all(pattern, pattern, DEPTH) as string[];
    },
    close: () => void db.close(),
  };
}

/** FTS5 with its Porter stemmer over names, descriptions and labels as they are, any word. */
export function startFts5(tools: readonly Definition[]): Engine {
  const rows = tools.map((tool) => [tool.name, tool.description, labelsOf(tool).join(' ')]);
  return startIndex(tools, ['name', 'description', 'labels'], '1, 1, 1', rows, (text) =>
    distinctWords(text),
  );
}

/** FTS5 with split names, without stop-words, with parameter texts and weights: what can be had of it. */
export function startTunedFts5(tools: readonly Definition[]): Engine {
  const columns = ['name', 'description', 'labels', 'parameters'];
  const rows = tools.map((tool) => [
    `${tool.name} ${splitNames(tool.name)}`,
    tool.description,
    splitNames(labelsOf(tool).join(' ')),
    splitNames(parametersOf(tool).join(' ')),
  ]);
  return startIndex(tools, columns, '5, 1, 2, 0.5', rows, (text) =>
    tellingWords(distinctWords(splitNames(text))),
  );
}

function startIndex(
  tools: readonly Definition[],
  columns: readonly string[],
  weights: string,
  rows: readonly string[][],
  wordsOf: (text: string) => string[],
): Engine {
  const db = new Database(':memory:');
  db.exec(`create virtual table texts using fts5(${columns}, tokenize = 'porter unicode61')`);
  db.exec(`insert into texts (texts, rank) values ('rank', 'bm25(${weights})')`);
  const insert = db.prepare(
    `insert into texts (rowid, ${columns}) values (?, ${columns.map(() => '?')})`,
  );
  for (const [at, row] of rows.entries()) insert.run(at, ...row);
  const select = db.prepare('select rowid from texts where texts match ? order by rank limit ?');
  return {
    search(text) {
      const words = wordsOf(text).slice(0, 64);
      if (words.length === 0) return [];
      const match = words.map((word) => `"${word}"`).join(' OR ');
      const found = select.pluck().all(match, DEPTH) as number[];
      return found.flatMap((at) => tools[at]?.name ?? []);
    },
    close: () => void db.close(),
  };
}

function distinctWords(text: string): string[] {
  return [...new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])];
}
