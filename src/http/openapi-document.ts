import { ERRORS } from '../errors.ts';
import { anyErrorResponse, HEADERS, headerReferences } from './openapi-components.ts';
import type { DocumentedErrors } from './openapi-route.ts';

interface Response {
  headers?: Record<string, unknown>;
}

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  schema: { default?: unknown };
}

interface Operation extends DocumentedErrors {
  tags: string[];
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: { $ref?: string }; example?: unknown }> };
  responses: Record<string, Response | { $ref: string }>;
}

/** The parts of an OpenAPI document that are looked at here. */
export interface Document {
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, { examples?: unknown[] }>;
    [kind: string]: Record<string, unknown>;
  };
}

const SCHEMAS = '#/components/schemas/';
const PLACES = ['path', 'query', 'header'];

/**
 * Completes what was collected from the routes: errors and headers become components, components
 * that nothing refers to are left out, and paths stand in the order of their tags.
 */
export function finishDocument(document: Document): Document {
  const responses = new Map<string, object>();
  for (const operation of Object.values(document.paths).flatMap((path) => Object.values(path))) {
    liftExamples(operation, document.components.schemas);
    const { parameters = [] } = operation;
    if (parameters.length > 0) operation.parameters = parameters.map(tidyParameter).sort(byPlace);
    for (const answer of Object.values(operation.responses)) {
      if ('$ref' in answer) continue;
      const names = Object.keys(answer.headers ?? {});
      answer.headers = headerReferences([...names, 'X-Request-Id']);
    }
    addErrors(operation, responses);
  }
  const paths = Object.fromEntries(byTag(document));
  return {
    ...document,
    paths,
    components: {
      ...document.components,
      headers: HEADERS,
      responses: Object.fromEntries([...responses].sort(byName)),
      schemas: usedSchemas(document.components.schemas, [paths, [...responses.values()]]),
    },
  };
}

function addErrors(operation: Operation, responses: Map<string, object>): void {
  const { 'x-errors': types = [], 'x-error-shape': shape } = operation;
  delete operation['x-errors'];
  delete operation['x-error-shape'];
  for (const [status, same] of Map.groupBy(types, (type) => ERRORS[type].status)) {
    const { name, response } = anyErrorResponse(same, shape);
    responses.set(name, response);
    operation.responses[status] = { $ref: `#/components/responses/${name}` };
  }
}

/** Readers show the example of a body, not that of the component it refers to. */
function liftExamples({ requestBody }: Operation, schemas: Document['components']['schemas']) {
  for (const media of Object.values(requestBody?.content ?? {})) {
    const example = schemas[media.schema.$ref?.slice(SCHEMAS.length) ?? '']?.examples?.[0];
    if (example !== undefined) media.example = example;
  }
}

/** `if-match` → `If-Match`; what has a default may be left out. */
function tidyParameter(parameter: Parameter): Parameter {
  const { name, required, schema } = parameter;
  return {
    ...parameter,
    name: parameter.in === 'header' ? name.replace(/\b[a-z]/g, (at) => at.toUpperCase()) : name,
    required: required && schema.default === undefined,
  };
}

function byPlace(a: Parameter, b: Parameter): number {
  return PLACES.indexOf(a.in) - PLACES.indexOf(b.in);
}

function byName([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1;
}

/** Paths in the order of their tags, then as registered. */
function byTag({ tags, paths }: Document): [string, Record<string, Operation>][] {
  const names = tags.map(({ name }) => name);
  const place = (path: Record<string, Operation>) =>
    names.indexOf(Object.values(path)[0]?.tags[0] ?? '');
  return Object.entries(paths).sort(([, a], [, b]) => place(a) - place(b));
}

/** The schemas that `roots` refer to, also by way of each other, in the order of their names. */
function usedSchemas<Schema>(schemas: Record<string, Schema>, roots: unknown) {
  const used = new Set<string>();
  const open: unknown[] = [roots];
  while (open.length > 0) {
    for (const [, name = ''] of JSON.stringify(open.pop()).matchAll(
      /"#\/components\/schemas\/(\w+)"/g,
    )) {
      if (used.has(name)) continue;
      used.add(name);
      open.push(schemas[name]);
    }
  }
  return Object.fromEntries(
    Object.entries(schemas)
      .filter(([name]) => used.has(name))
      .sort(byName),
  );
}
