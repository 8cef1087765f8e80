import { type AppError, type Fault, validationError } from '../errors.ts';
import { isObject, type JsonObject } from '../json.ts';
import type { ToolStatus, UsageSums } from '../store/tools.ts';
import { MAX_RECENT_CALLS } from '../store/usage-numbers.ts';
import type { DefinitionChange } from './definition-rules.ts';
import { misspeltKeyFault } from './misspelt-key.ts';
import type { Definition } from './tool-document.ts';

/** One tool of an import, in our own terms; times in milliseconds. */
export interface ImportedTool {
  definition: Definition;
  /** What an update replaces: what the line itself gives, and no more. */
  change: DefinitionChange & { status?: ToolStatus };
  tool_id?: string;
  status: ToolStatus;
  created_at?: number;
  updated_at?: number;
  revision: number;
  usage: UsageSums;
  recent_calls: { timestamp: number; execution_time_ms: number; success: boolean }[];
  versions: ImportedVersion[];
}

/** A former definition of an export. */
export interface ImportedVersion {
  definition: Definition;
  status: ToolStatus;
  revision: number;
  updated_at: number;
  replaced_at: number;
}

const DEFINITION_KEYS = [
  'name',
  'description',
  'parameters',
  'metadata',
  'title',
  'tags',
  'annotations',
  'input_schema',
  'output_schema',
  'server',
] as const;

const LINE_KEYS = [
  ...DEFINITION_KEYS,
  ...['inputSchema', 'outputSchema', 'category'],
  ...['tool_id', 'status', 'created_at', 'updated_at', 'usage_stats'],
];

/** What is read of our own export lines only. */
const EXPORT_KEYS = ['toolcrib', 'revision', 'versions', 'ml_commons'];

const USAGE_KEYS = [
  ...['total_calls', 'successful_calls', 'success_rate'],
  ...['total_execution_time_ms', 'avg_execution_time_ms', 'recent_calls'],
];

/** Whether a line is of our own export, which says more than files of others. */
export function isExportLine(tool: Record<string, unknown>): boolean {
  return tool['toolcrib'] === 1;
}

/** A key whose value would be lost because it is misspelt; other unknown keys are left aside. */
export function lostKeyFault(tool: Record<string, unknown>): Fault | undefined {
  const known = isExportLine(tool) ? [...LINE_KEYS, ...EXPORT_KEYS] : LINE_KEYS;
  const usage = tool['usage_stats'];
  return (
    misspeltKeyFault(tool, known) ??
    (isObject(usage) ? misspeltKeyFault(usage, USAGE_KEYS, 'usage_stats.') : undefined)
  );
}

/**
 * A tool object in any of the shapes that are read (Lucenia's, MCP's, a line with the category at
 * its top, our export) with its definition in our terms. Other keys are left aside.
 */
export function definitionShape(tool: Record<string, unknown>): Record<string, unknown> {
  const shape: Record<string, unknown> = {};
  for (const key of DEFINITION_KEYS) if (tool[key] !== undefined) shape[key] = tool[key];
  shape['description'] = tool['description'] ?? '';
  const inputSchema = 'inputSchema' in tool ? tool['inputSchema'] : tool['input_schema'];
  if (inputSchema !== undefined) shape['input_schema'] = rooted(inputSchema);
  const outputSchema = tool['outputSchema'] ?? tool['output_schema'];
  if (outputSchema !== undefined && outputSchema !== null) shape['output_schema'] = outputSchema;
  for (const key of ['title', 'tags', 'annotations', 'server', 'parameters', 'metadata'] as const) {
    if (shape[key] === null || (key === 'server' && shape[key] === '')) delete shape[key];
  }
  const { category } = tool;
  if (typeof category === 'string' && category !== '' && shape['metadata'] === undefined) {
    shape['metadata'] = { category };
  }
  return shape;
}

/** What an update by this line replaces: completed fields that it does not give stay as they are. */
export function givenChange(
  definition: Definition,
  tool: Record<string, unknown>,
): ImportedTool['change'] {
  const gives = (key: string) => tool[key] !== undefined && tool[key] !== null;
  const change: ImportedTool['change'] = { ...definition };
  if (!gives('description')) delete change.description;
  if (!gives('inputSchema') && !gives('input_schema')) delete change.input_schema;
  if (!gives('metadata') && !gives('category')) delete change.metadata;
  if (gives('status')) change.status = status(tool['status']);
  return change;
}

/** A field of the definition as the line names it. */
export function fieldInLine(field: string, tool: Record<string, unknown>): string {
  if (tool['metadata'] === undefined && field === 'metadata.category') return 'category';
  const [, root = '', rest = ''] = /^(input|output)_schema(.*)$/s.exec(field) ?? [];
  return root !== '' && `${root}Schema` in tool ? `${root}Schema${rest}` : field;
}

/** What makes an object without a root type a schema rather than a bare map of properties. */
const SCHEMA_KEYWORDS = ['properties', 'required', '$ref', 'anyOf', 'oneOf', 'allOf', '$defs'];

/** Servers in the field leave the root's type out, or the whole schema; MCP wants an object. */
function rooted(schema: unknown): unknown {
  if (schema === null) return { type: 'object' };
  if (!isObject(schema) || schema['type'] !== undefined) return schema;
  const isSchema = SCHEMA_KEYWORDS.some((keyword) => Object.hasOwn(schema, keyword));
  return isSchema ? { type: 'object', ...schema } : { type: 'object' };
}

/** Reads what an import line may say beside the definition. @throws AppError ValidationError. */
export function importedState(
  tool: Record<string, unknown>,
): Omit<ImportedTool, 'definition' | 'change' | 'versions'> {
  const usageStats = tool['usage_stats'] ?? {};
  if (!isObject(usageStats)) throw refused('usage_stats', 'must be an object');
  return {
    ...optional('tool_id', text(tool, 'tool_id', /^tool-[a-z0-9]{1,64}$/)),
    ...optional('created_at', time(tool['created_at'], 'created_at')),
    ...optional('updated_at', time(tool['updated_at'], 'updated_at')),
    status: status(tool['status']),
    revision: isExportLine(tool) ? integer(tool['revision'] ?? 1, 'revision', 1, MAX_REVISION) : 1,
    usage: sums(usageStats),
    recent_calls: recentCalls(usageStats['recent_calls'] ?? []),
  };
}

function refused(field: string, rule: string): AppError {
  return validationError('Invalid tool', [{ field, reason: `${field} ${rule}` }]);
}

function optional<Key extends string, Value>(key: Key, value: Value | undefined) {
  return (value === undefined ? {} : { [key]: value }) as { [K in Key]?: Value };
}

function text(from: Record<string, unknown>, key: string, pattern: RegExp): string | undefined {
  const value = from[key];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string' && pattern.test(value)) return value;
  throw refused(key, `must match ${pattern.source}`);
}

export function status(value: unknown): ToolStatus {
  if (value === undefined || value === null) return 'active';
  if (value === 'active' || value === 'inactive' || value === 'error') return value;
  throw refused('status', 'must be active, inactive or error');
}

/** Milliseconds, or UTC text as answers show it. */
export function time(value: unknown, field: string): number | undefined {
  if (value === undefined || value === null) return undefined;
  const ms =
    typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/.test(value)
      ? Date.parse(value)
      : value;
  // Year 0 to 9998: what the wire's format can show, with room for later updates.
  if (
    typeof ms === 'number' &&
    Number.isInteger(ms) &&
    ms >= -62_167_219_200_000 &&
    ms < 253_370_764_800_000
  ) {
    return ms;
  }
  throw refused(field, 'must be UTC as YYYY-MM-DDTHH:MM:SSZ, or milliseconds since 1970');
}

const MAX_REVISION = 2 ** 31;

export function integer(
  value: unknown,
  field: string,
  minimum = 0,
  maximum = Number.MAX_SAFE_INTEGER,
): number {
  const isInRange = typeof value === 'number' && value >= minimum && value <= maximum;
  if (isInRange && Number.isInteger(value)) return value;
  throw refused(field, `must be an integer of at least ${minimum}`);
}

function number(value: unknown, field: string, maximum: number): number {
  if (typeof value === 'number' && value >= 0 && value <= maximum) return value;
  throw refused(field, `must be a number between 0 and ${maximum}`);
}

/** A baseline: exact sums as exported, or the numbers that answers show. */
function sums(stats: JsonObject | Record<string, unknown>): UsageSums {
  const total_calls = integer(stats['total_calls'] ?? 0, 'usage_stats.total_calls');
  const successful_calls =
    stats['successful_calls'] === undefined
      ? Math.round(total_calls * number(stats['success_rate'] ?? 0, 'usage_stats.success_rate', 1))
      : integer(stats['successful_calls'], 'usage_stats.successful_calls');
  if (successful_calls > total_calls) {
    throw refused('usage_stats.successful_calls', 'must not exceed total_calls');
  }
  const average = number(
    stats['avg_execution_time_ms'] ?? 0,
    'usage_stats.avg_execution_time_ms',
    86_400_000,
  );
  const total_execution_time_ms =
    stats['total_execution_time_ms'] === undefined
      ? total_calls * average
      : number(
          stats['total_execution_time_ms'],
          'usage_stats.total_execution_time_ms',
          Number.MAX_SAFE_INTEGER,
        );
  return { total_calls, successful_calls, total_execution_time_ms };
}

function recentCalls(value: unknown): ImportedTool['recent_calls'] {
  if (!Array.isArray(value)) throw refused('usage_stats.recent_calls', 'must be an array');
  const calls = value.map((call: unknown, index) => {
    const field = `usage_stats.recent_calls[${index}]`;
    if (!isObject(call)) throw refused(field, 'must be an object');
    const timestamp = time(call['timestamp'], `${field}.timestamp`);
    if (timestamp === undefined) throw refused(`${field}.timestamp`, 'is required');
    if (typeof call['success'] !== 'boolean') {
      throw refused(`${field}.success`, 'must be true or false');
    }
    return {
      timestamp,
      execution_time_ms: number(
        call['execution_time_ms'],
        `${field}.execution_time_ms`,
        86_400_000,
      ),
      success: call['success'],
    };
  });
  // A stable sort: equal times keep the order in which they were given.
  return calls.sort((a, b) => b.timestamp - a.timestamp).slice(0, MAX_RECENT_CALLS);
}
