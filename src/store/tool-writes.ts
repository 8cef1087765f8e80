import sql from 'sql-template-tag';
import type { Connection } from './database.ts';
import { noteChange } from './tool-changes.ts';
import type { NewToolRow, ToolChanges, ToolDefinitionRow } from './tools.ts';

/** Writes the changes, inside a transaction. @returns how many tools they touch. */
export function applyChanges(db: Connection, changes: ToolChanges): number {
  for (const id of changes.remove ?? []) {
    noteChange(db, id);
    remove(db, id);
  }
  for (const { id, row } of changes.update ?? []) update(db, id, row);
  for (const row of changes.insert ?? []) insert(db, row);
  return [changes.insert, changes.update, changes.remove].reduce(
    (sum, list) => sum + (list?.length ?? 0),
    0,
  );
}

/** Keeps what its calls are still shown under. */
function remove(db: Connection, id: number): void {
  db.run(sql`insert into removed_tools (id, tool_id, name, category, server)
    select id, tool_id, name, category, server from tools where id = ${id}`);
  db.run(sql`delete from tools where id = ${id}`);
}

function insert(db: Connection, row: NewToolRow): void {
  const { lastInsertRowid: id } = db.run(sql`insert into tools
    (id, tool_id, name, status, category, author, server, read_only, created_at, updated_at,
     revision, total_calls, successful_calls, total_execution_time_ms, success_rate,
     avg_execution_time_ms)
    values ((select max(coalesce((select max(id) from tools), 0),
       coalesce((select max(id) from removed_tools), 0)) + 1), ${row.tool_id}, ${row.name}, ${row.status}, ${row.category}, ${row.author}, ${row.server},
     ${Number(row.read_only)}, ${row.created_at}, ${row.updated_at}, ${row.revision}, ${row.total_calls},
     ${row.successful_calls}, ${row.total_execution_time_ms}, ${row.success_rate},
     ${row.avg_execution_time_ms})`);
  insertWide(db, Number(id), row);
  if (row.recent_calls.length > 0) {
    const calls = row.recent_calls.map(({ timestamp, execution_time_ms, success }) => [
      timestamp,
      execution_time_ms,
      Number(success),
    ]);
    db.run(sql`insert into recent_calls (tool, calls) values (${id}, ${JSON.stringify(calls)})`);
  }
  for (const version of row.versions) {
    db.run(sql`insert into tool_versions
      (tool, revision, document, derived_parameters, ml_commons, replaced_at) values
      (${id}, ${version.revision}, ${version.document}, ${version.derived_parameters},
       ${version.ml_commons}, ${version.replaced_at})`);
  }
}

function update(db: Connection, id: number, row: ToolDefinitionRow): void {
  db.run(sql`insert into tool_versions
    (tool, revision, document, derived_parameters, ml_commons, replaced_at)
    select tools.id, tools.revision, document, derived_parameters, ml_commons, ${row.updated_at}
    from tools join tool_documents on tool_documents.id = tools.id where tools.id = ${id}`);
  db.run(sql`update tools set name = ${row.name}, status = ${row.status}, category = ${row.category},
    author = ${row.author}, server = ${row.server}, read_only = ${Number(row.read_only)},
    updated_at = ${row.updated_at}, revision = revision + 1 where id = ${id}`);
  replaceWide(db, id, row);
}

/** Writes all that is kept of a definition beside the narrow row. */
export function replaceWide(db: Connection, id: number, row: ToolDefinitionRow): void {
  db.run(sql`delete from tool_documents where id = ${id}`);
  db.run(sql`delete from tool_texts where id = ${id}`);
  db.run(sql`delete from tool_words where id = ${id}`);
  db.run(sql`delete from tool_tags where tool = ${id}`);
  insertWide(db, id, row);
}

function insertWide(db: Connection, id: number, row: ToolDefinitionRow): void {
  db.run(sql`insert into tool_documents (id, document, derived_parameters, ml_commons)
    values (${id}, ${row.document}, ${Number(row.derived_parameters)}, ${row.ml_commons})`);
  db.run(sql`insert into tool_texts (id, name, description)
    values (${id}, ${row.folded_name}, ${row.folded_description})`);
  db.run(sql`insert into tool_words (id, words) values (${id}, ${row.words})`);
  noteChange(db, id);
  for (const tag of new Set(row.tags)) {
    db.run(sql`insert into tool_tags (tag, tool) values (${tag}, ${id})`);
  }
}
