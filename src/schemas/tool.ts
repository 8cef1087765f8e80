import { type Static, Type } from '@sinclair/typebox';
import type { JsonObject } from '../json.ts';
import { MapOf, Pagination, ref, StringEnum, Success, Timestamp } from './common.ts';
import * as examples from './examples.ts';

export const STATUSES = ['active', 'inactive', 'error'] as const;

const Name = Type.String({
  pattern: '^[A-Za-z0-9_.-]{1,128}$',
  description: '1 to 128 of A-Z a-z 0-9 _ . - (unique and case-sensitive)',
  examples: ['document_search'],
});
const Description = Type.String({
  description: 'What the tool does, at most 16 KiB; may be empty',
});

export const Parameter = Type.Object(
  {
    type: StringEnum(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null', 'any']),
    description: Type.String(),
    required: Type.Optional(Type.Boolean()),
    default: Type.Optional(Type.Unknown({ description: 'Default value, of any type' })),
    enum: Type.Optional(Type.Array(Type.Unknown(), { description: 'Allowed values' })),
  },
  { $id: 'Parameter', additionalProperties: false },
);

export const Metadata = Type.Object(
  {
    category: Type.Optional(Type.String({ maxLength: 256, examples: ['search'] })),
    version: Type.Optional(Type.String({ maxLength: 256, examples: ['1.0.0'] })),
    author: Type.Optional(Type.String({ maxLength: 256, examples: ['Lucenia Team'] })),
  },
  { $id: 'Metadata', additionalProperties: false },
);

export const Annotations = Type.Object(
  {
    title: Type.Optional(Type.String()),
    readOnlyHint: Type.Optional(Type.Boolean()),
    destructiveHint: Type.Optional(Type.Boolean()),
    idempotentHint: Type.Optional(Type.Boolean()),
    openWorldHint: Type.Optional(Type.Boolean()),
  },
  {
    $id: 'Annotations',
    additionalProperties: true,
    description: "MCP's hints; further keys are kept",
  },
);

/** A JSON Schema of a tool; its rules are in catalogue/json-schema-rules.ts. */
const ToolSchema = (description: string) =>
  Type.Unsafe<JsonObject>({ type: 'object', additionalProperties: true, description });

/** The definition's optional parts, the same in register, update and answers. */
const parts = {
  parameters: MapOf(ref(Parameter), { description: 'Parameter name to its description' }),
  metadata: ref(Metadata),
  title: Type.String({ maxLength: 256, description: 'Name for people' }),
  tags: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { maxItems: 64 }),
  annotations: ref(Annotations),
  input_schema: ToolSchema('JSON Schema of the arguments; its root has "type": "object"'),
  output_schema: ToolSchema('JSON Schema of the result; its root has "type": "object"'),
  server: Type.String({
    minLength: 1,
    maxLength: 256,
    description: 'Label of the server it is from',
  }),
};

const optionalParts = {
  parameters: Type.Optional(parts.parameters),
  metadata: Type.Optional(parts.metadata),
  title: Type.Optional(parts.title),
  tags: Type.Optional(parts.tags),
  annotations: Type.Optional(parts.annotations),
  input_schema: Type.Optional(parts.input_schema),
  output_schema: Type.Optional(parts.output_schema),
  server: Type.Optional(parts.server),
};

export const ToolDefinition = Type.Object(
  { name: Name, description: Description, ...optionalParts },
  { $id: 'ToolDefinition', additionalProperties: false },
);
export type ToolDefinition = Static<typeof ToolDefinition>;

export const ToolUpdate = Type.Object(
  {
    name: Type.Optional(Name),
    description: Type.Optional(Description),
    status: Type.Optional(StringEnum(['active', 'inactive'])),
    ...optionalParts,
  },
  {
    $id: 'ToolUpdate',
    additionalProperties: false,
    description: 'Omitted fields stay; given ones are replaced whole',
    examples: [examples.update],
  },
);
export type ToolUpdate = Static<typeof ToolUpdate>;

export const ToolRegistration = Type.Object(
  { tools: Type.Array(ref(ToolDefinition), { minItems: 1, maxItems: 500 }) },
  { $id: 'ToolRegistration', additionalProperties: false, examples: [examples.registration] },
);

export const ToolId = Type.String({
  pattern: '^tool-[a-z0-9]{1,64}$',
  description: '`tool-` and 1 to 64 lower-case letters and digits',
  examples: ['tool-abc123'],
});

export const toolFields = {
  tool_id: ToolId,
  name: Name,
  description: Description,
  status: StringEnum(STATUSES),
  ...optionalParts,
  parameters: parts.parameters,
  created_at: Timestamp,
  updated_at: Timestamp,
};

export const usageFields = {
  total_calls: Type.Integer({ description: 'All calls' }),
  success_rate: Type.Number({ description: '0 to 1 with 3 decimals; 0 without calls' }),
  avg_execution_time_ms: Type.Number({ description: 'Average, 2 decimals; 0 without calls' }),
};

export const Tool = Type.Object(
  { ...toolFields, usage_stats: Type.Object(usageFields) },
  { $id: 'Tool' },
);

export const RecentCall = Type.Object(
  { timestamp: Timestamp, execution_time_ms: Type.Number(), success: Type.Boolean() },
  { $id: 'RecentCall' },
);

export const ToolDetail = Type.Object(
  {
    ...toolFields,
    usage_stats: Type.Object({
      ...usageFields,
      recent_calls: Type.Array(ref(RecentCall), { description: 'The newest 10, newest first' }),
    }),
  },
  { $id: 'ToolDetail' },
);

export const ToolVersion = Type.Object(
  { ...toolFields, revision: Type.Integer(), replaced_at: Timestamp },
  { $id: 'ToolVersion', description: 'A former definition' },
);

export const RemovedTool = Type.Object(
  {
    tool_id: ToolId,
    name: Name,
    status: Type.Literal('removed'),
    removed_at: Timestamp,
    cleanup_summary: Type.Object(
      {
        dependent_agents: Type.Integer(),
        active_sessions: Type.Integer(),
        cached_results: Type.Integer(),
      },
      { description: 'Always 0: nothing here depends on a tool' },
    ),
  },
  { $id: 'RemovedTool' },
);

export const ToolDetailAnswer = Success(
  'ToolDetailAnswer',
  ref(ToolDetail),
  'Tool retrieved successfully',
);
export const ToolAnswer = Success('ToolAnswer', ref(Tool), 'Tool updated successfully');
export const ToolsAnswer = Success(
  'ToolsAnswer',
  Type.Object({ tools: Type.Array(ref(Tool)) }),
  'Tools registered successfully',
);
export const ToolVersionsAnswer = Success(
  'ToolVersionsAnswer',
  Type.Object({ versions: Type.Array(ref(ToolVersion)), pagination: ref(Pagination) }),
  'Versions retrieved successfully',
);
export const RemovedToolAnswer = Success(
  'RemovedToolAnswer',
  ref(RemovedTool),
  'Tool removed successfully',
);
