import type Database from 'better-sqlite3';
import { nameCondition } from './tool-patterns.ts';

/** Tables about tools, with the column that says which; the sums' is a tool where it is positive. */
const TABLES_OF_TOOLS = {
  tool_documents: 'id',
  tool_texts: 'id',
  tool_words: 'id',
  tool_tags: 'tool',
  tool_versions: 'tool',
  tool_vectors: 'id',
  recent_calls: 'tool',
  calls: 'tool',
  usage_hours: 'series',
  usage_days: 'series',
  usage_errors: 'series',
} as const;

/**
 * Puts views before the tables of a connection, so that every statement on it, whoever wrote it, sees
 * nothing but the tools that the patterns let through and what belongs to them. Calls of removed
 * tools go by the name that these had. SQLite looks for a name among temporary views first.
 */
export function narrowTo(db: Database.Database, patterns: readonly string[]): void {
  const condition = nameCondition('known.name', patterns);
  for (const table of ['tools', 'removed_tools']) {
    db.exec(`create temp view ${table} as select * from main.${table} as known where ${condition}`);
  }
  const isKnown = (table: string, id: string) =>
    `exists (select 1 from main.${table} as known where known.id = ${id} and ${condition})`;
  for (const [table, column] of Object.entries(TABLES_OF_TOOLS)) {
    const id = `own.${column}`;
    db.exec(`create temp view ${table} as select * from main.${table} as own
      where ${id} > 0 and (${isKnown('tools', id)} or ${isKnown('removed_tools', id)})`);
  }
}
