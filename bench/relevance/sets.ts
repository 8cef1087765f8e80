import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Definition } from '../../src/catalogue/tool-document.ts';
import { isObject, type Json, type JsonObject } from '../../src/json.ts';

/** One query and its relevant tools by name, with how relevant each is. */
export interface JudgedQuery {
  id: string;
  text: string;
  grades: ReadonlyMap<string, number>;
}

/** Tools, and queries whose relevant tools are known. */
export interface RelevanceSet {
  name: string;
  tools: Definition[];
  queries: JudgedQuery[];
}

/** The types of other worlds that sets use, as JSON Schema's; what is left has no type. */
const TYPES: Readonly<Record<string, string>> = {
  dict: 'object',
  float: 'number',
  tuple: 'array',
  list: 'array',
  bool: 'boolean',
  int: 'integer',
  str: 'string',
};
const JSON_TYPES = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];
const MAX_NAME = 128;
const MAX_LABEL = 64;
/** At most three bytes each stay below the catalogue's 16 KiB. */
const MAX_DESCRIPTION = 5_000;

/** Reads each folder in `folder` that has tools.jsonl, queries.jsonl and qrels.tsv. */
export function readSets(folder: string): RelevanceSet[] {
  const names = readdirSync(folder).filter((name) =>
    statSync(join(folder, name, 'tools.jsonl'), { throwIfNoEntry: false })?.isFile(),
  );
  if (names.length === 0) throw new Error(`No set with a tools.jsonl in ${folder}`);
  return names.sort().map((name) => readSet(join(folder, name), name));
}

function readSet(folder: string, name: string): RelevanceSet {
  const byId = new Map<string, Definition>();
  const taken = new Set<string>();
  for (const line of readLines(join(folder, 'tools.jsonl'))) {
    const tool = JSON.parse(line) as JsonObject;
    byId.set(String(tool['id']), toDefinition(tool, taken));
  }
  const grades = new Map<string, Map<string, number>>();
  for (const line of readLines(join(folder, 'qrels.tsv'))) {
    const [query = '', id = '', grade = '1'] = line.split('\t');
    const tool = byId.get(id);
    if (tool === undefined || !(Number(grade) > 0)) continue;
    const known = grades.get(query) ?? new Map<string, number>();
    grades.set(query, known.set(tool.name, Number(grade)));
  }
  const queries = readLines(join(folder, 'queries.jsonl')).flatMap((line) => {
    const { id, text } = JSON.parse(line) as { id: string | number; text: string };
    const known = grades.get(String(id));
    return known === undefined ? [] : [{ id: String(id), text: plain(text), grades: known }];
  });
  return { name, tools: [...byId.values()], queries };
}

/** Without what no catalogue takes. */
function plain(text: Json | undefined): string {
  return String(text ?? '')
    .replaceAll('\0', ' ')
    .toWellFormed();
}

function readLines(file: string): string[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '');
}

/** A tool as the catalogue takes it. */
function toDefinition(tool: JsonObject, taken: Set<string>): Definition {
  const server = /^(.+?)[/:]/.exec(String(tool['id']))?.[1];
  const category = tool['category'];
  const tags = Array.isArray(tool['tags']) ? tool['tags'] : [];
  const schema = toSchema(tool['parameters'] ?? tool['input_schema'] ?? tool['inputSchema']);
  return {
    name: uniqueName(String(tool['name'] ?? tool['id']), taken),
    description: plain(tool['description']).slice(0, MAX_DESCRIPTION).toWellFormed(),
    ...(typeof category === 'string' &&
      category !== '' && { metadata: { category: label(category) } }),
    ...(tags.length > 0 && { tags: tags.map(label).filter((tag) => tag !== '') }),
    ...(server !== undefined && { server: label(server) }),
    ...(schema !== undefined && { input_schema: schema }),
  };
}

function label(text: Json): string {
  return plain(text).slice(0, MAX_LABEL).toWellFormed();
}

/** Names repeat between servers: low lines behind a name make it another one, and no other word. */
function uniqueName(given: string, taken: Set<string>): string {
  const base = given.replace(/[^A-Za-z0-9_.-]+/g, '_') || '_';
  for (let tail = ''; ; tail += '_') {
    const name = `${base.slice(0, MAX_NAME - tail.length)}${tail}`;
    if (taken.has(name)) continue;
    taken.add(name);
    return name;
  }
}

/**
 * The schema as far as anyone searches it: its parameters, their types and what is said of them. Sets
 * come from many worlds, and much of their schemas is of other drafts than the catalogue takes.
 */
function toSchema(schema: Json | undefined): JsonObject | undefined {
  if (!isObject(schema) || !isObject(schema['properties'])) return undefined;
  const properties = Object.entries(schema['properties']).filter(([name]) => name !== '__proto__');
  const entries = properties.map(([name, about]): [string, Json] => {
    const { type, description } = isObject(about) ? about : {};
    const known = [type].flat().map((each) => TYPES[String(each)] ?? String(each));
    const types = known.filter((each) => JSON_TYPES.includes(each));
    return [
      name,
      {
        ...(types.length > 0 && { type: types[0] ?? null }),
        ...(typeof description === 'string' && {
          description: plain(description).slice(0, MAX_DESCRIPTION).toWellFormed(),
        }),
      },
    ];
  });
  return { type: 'object', properties: Object.fromEntries(entries) };
}
