import type { JsonObject } from '../json.ts';
import type { ToolDefinition } from '../schemas/tool.ts';
import { fold } from '../search/fold.ts';
import { encodeToolWords } from '../search/tool-words.ts';
import type { Relevance } from '../store/tool-queries.ts';
import type {
  ShownTool,
  StoredTool,
  ToolDefinitionRow,
  ToolStatus,
  ToolVersionRow,
} from '../store/tools.ts';
import { parametersFromSchema } from './parameters.ts';
import { wireTime } from './wire-time.ts';

/** What ml-commons' routes keep of a tool beside its name and description. */
export interface MlCommons {
  type: string;
  parameters?: JsonObject;
  attributes?: JsonObject;
}

/** Everything a registration or update says of a tool. */
export interface Definition extends ToolDefinition {
  ml_commons?: MlCommons;
}

/** What the store adds to a definition; times in milliseconds. */
export interface ToolState {
  tool_id: string;
  status: ToolStatus;
  created_at: number;
  updated_at: number;
}

/** The definition as a row: the answer is rendered once, here, and only spliced afterwards. */
export function definitionRow(definition: Definition, state: ToolState): ToolDefinitionRow {
  const { name, description, parameters, metadata, input_schema: inputSchema } = definition;
  const { title, tags, annotations, output_schema, server } = definition;
  const document = {
    tool_id: state.tool_id,
    name,
    description,
    status: state.status,
    parameters: parameters ?? (inputSchema ? parametersFromSchema(inputSchema) : {}),
    metadata,
    title,
    tags,
    annotations,
    input_schema: inputSchema,
    output_schema,
    server,
    created_at: wireTime(state.created_at),
    updated_at: wireTime(state.updated_at),
  };
  const words = encodeToolWords({
    name,
    title: title ?? annotations?.title ?? '',
    labels: [...(tags ?? []), metadata?.category ?? '', server ?? ''],
    description,
    parameters: Object.entries(document.parameters).flatMap(([parameter, about]) => [
      parameter,
      about.description,
    ]),
  });
  return {
    name,
    status: state.status,
    category: metadata?.category ?? '',
    author: metadata?.author ?? '',
    server: server ?? '',
    read_only: annotations?.readOnlyHint === true,
    tags: tags ?? [],
    folded_name: fold(name),
    folded_description: fold(description),
    words,
    updated_at: state.updated_at,
    document: JSON.stringify(document),
    derived_parameters: parameters === undefined,
    ml_commons: definition.ml_commons ? JSON.stringify(definition.ml_commons) : null,
  };
}

/** The definition as it was given, read back from a row. */
export function definitionOf(
  row: Pick<StoredTool | ToolVersionRow, 'document' | 'derived_parameters' | 'ml_commons'>,
): Definition {
  const {
    tool_id: _id,
    status: _status,
    created_at: _created,
    updated_at: _updated,
    ...definition
  } = JSON.parse(row.document);
  if (row.derived_parameters) delete definition.parameters;
  if (row.ml_commons !== null) definition.ml_commons = JSON.parse(row.ml_commons);
  return definition;
}

/** JSON text of a tool with its usage numbers: the document's closing brace makes room for more. */
export function renderTool(
  tool: ShownTool,
  usage = renderUsage(tool),
  relevance?: Relevance,
): string {
  const ranked = relevance === undefined ? '' : `,${JSON.stringify(relevance).slice(1, -1)}`;
  return `${tool.document.slice(0, -1)},"usage_stats":${usage}${ranked}}`;
}

/** JSON text of a tool's usage numbers, with its newest calls when given. */
export function renderUsage(
  { total_calls, success_rate, avg_execution_time_ms }: ShownTool,
  recent_calls?: readonly object[],
): string {
  return JSON.stringify({ total_calls, success_rate, avg_execution_time_ms, recent_calls });
}
