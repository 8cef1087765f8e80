import { type Static, Type } from '@sinclair/typebox';
import { MAX_PATH } from '../memory/path-filter.ts';
import { WRITTEN_TYPES } from '../memory/types.ts';
import { MAX_CONTENT } from '../memory/values.ts';
import { MEMORY_STATUSES, MEMORY_TYPES } from '../store/memory-rows.ts';
import { GivenTime } from './call.ts';
import { Pagination, ref, StringEnum, Success, Timestamp } from './common.ts';
import * as examples from './examples-memory.ts';

export const MemoryReference = Type.String({
  pattern: '^mem-[a-z2-7]{20}$',
  description: 'Opaque reference of a memory: mem- and 20 of a-z 2-7',
  examples: [examples.memory.reference],
});

const Nullable = <Schema extends ReturnType<typeof Type.String>>(schema: Schema) =>
  Type.Unsafe<string | null>({ ...schema, type: ['string', 'null'] });
const Share = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });
const Label = (description: string) => Type.String({ minLength: 1, maxLength: 128, description });
const Details = (description: string) =>
  Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: true,
    description: `${description}; at most 16 KiB as JSON`,
  });

const Content = Type.String({ minLength: 1, maxLength: MAX_CONTENT, description: 'The text' });
const Path = Type.String({
  minLength: 1,
  maxLength: MAX_PATH,
  description: 'Where it belongs, such as projects/x; in a space below space/<name>',
  examples: ['projects/gateway'],
});
const WrittenType = StringEnum(WRITTEN_TYPES, {
  description: '`auto` goes by the text; `durable` is semantic, `event` is episodic',
});
const agentFields = {
  agent_id: Type.Optional(Nullable(Label('Which agent writes: attribution, never access'))),
  agent_instance_id: Type.Optional(Nullable(Label('Which of its instances'))),
};
const valueFields = {
  memory_type: Type.Optional(WrittenType),
  importance: Type.Optional(Share('0 to 1 (0.5)')),
  confidence: Type.Optional(Share('0 to 1 (1)')),
  semantic_key: Type.Optional(
    Nullable(Label('What it is about: at one path, a later memory with the key replaces it')),
  ),
  expires_at: Type.Optional(Nullable(GivenTime('When it vanishes', '2030-01-01T12:00:00Z'))),
  metadata: Type.Optional(Details('Anything')),
  provenance: Type.Optional(Details('Where it comes from')),
  ...agentFields,
};

export const NewMemory = Type.Object(
  {
    content: Content,
    path: Path,
    ...valueFields,
    dedupe: Type.Optional(
      Type.Boolean({ description: 'Whether an equal content at the path is taken for it (true)' }),
    ),
    idempotency_key: Type.Optional(Label('Makes it safe to send again, for 30 days')),
  },
  { $id: 'NewMemory', additionalProperties: false, examples: [examples.newMemory] },
);
export type NewMemory = Static<typeof NewMemory>;

export const MemoryBatch = Type.Object(
  { memories: Type.Array(ref(NewMemory), { minItems: 1, maxItems: 1_000 }) },
  {
    $id: 'MemoryBatch',
    additionalProperties: false,
    examples: [{ memories: [examples.newMemory] }],
  },
);
export type MemoryBatch = Static<typeof MemoryBatch>;

export const MemoryUpdate = Type.Object(
  {
    content: Type.Optional(Content),
    path: Type.Optional(Path),
    status: Type.Optional(
      StringEnum(['active', 'archived'], { description: 'Archived ones are not searched' }),
    ),
    ...valueFields,
  },
  { $id: 'MemoryUpdate', additionalProperties: false, examples: [examples.memoryUpdate] },
);

export const MemoryLines = Type.Unsafe<unknown>({
  $id: 'MemoryLines',
  description: 'Lines of JSON, each a NewMemory or a line of the export',
  examples: [examples.lines],
});

const AgentBoundary = Type.Optional(
  Type.Object({
    agent_id: Type.Optional(Type.String()),
    agent_instance_id: Type.Optional(Type.String()),
  }),
);
const MemoryType = StringEnum(MEMORY_TYPES);

export const Memory = Type.Object(
  {
    reference: MemoryReference,
    path: Type.String(),
    memory_type: MemoryType,
    content: Type.String(),
    status: StringEnum(MEMORY_STATUSES),
    version: Type.Integer(),
    importance: Type.Number(),
    confidence: Type.Number(),
    semantic_key: Type.Optional(Type.String()),
    metadata: Details('As given'),
    provenance: Details('As given'),
    agent_boundary: AgentBoundary,
    expires_at: Type.Optional(Timestamp),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { $id: 'Memory' },
);

export const MemoryExplanation = Type.Object(
  {
    strength: Type.Number({ description: 'The covered part of the query and what adds to it' }),
    bar: Type.Number({ description: 'The strength that a strict hit must have' }),
    answers: Type.Boolean({ description: 'Whether the strict search would give it' }),
    words: Type.Array(
      Type.Object({
        word: Type.String(),
        share: Type.Number({ description: 'Its part of the query by weight, 0 to 1' }),
        found: Type.Boolean(),
        in_label: Type.Boolean({ description: 'In what the text says it is about: `Anna: …`' }),
      }),
    ),
    literals: Type.Array(Type.Object({ text: Type.String(), found: Type.Boolean() }), {
      description: 'Quoted phrases and names of code, which must be there as they are',
    }),
  },
  { $id: 'MemoryExplanation' },
);

const hitFields = {
  reference: MemoryReference,
  path: Type.String(),
  memory_type: MemoryType,
  content: Type.String(),
  score: Type.Number({ description: 'How well it answers, 0 to 1' }),
  agent_boundary: AgentBoundary,
};
export const MemoryHit = Type.Object(
  { ...hitFields, explanation: Type.Optional(ref(MemoryExplanation)) },
  { $id: 'MemoryHit' },
);

const NullableText = Type.Unsafe<string | null>({ type: ['string', 'null'] });
const searchFilters = Type.Object({ path_filter: NullableText, memory_type: NullableText });
const RETRIEVED = 'Memories retrieved successfully';

export const MemoryPageAnswer = Success(
  'MemoryPageAnswer',
  Type.Object({
    memories: Type.Array(ref(Memory)),
    pagination: ref(Pagination),
    filters_applied: Type.Object({
      path_filter: NullableText,
      memory_type: NullableText,
      status: NullableText,
      search: NullableText,
    }),
  }),
  RETRIEVED,
);
export const MemorySearchAnswer = Success(
  'MemorySearchAnswer',
  Type.Object({
    hits: Type.Array(ref(MemoryHit)),
    below_bar: Type.Integer({
      description: 'How many more have words of the query, but do not answer it',
    }),
    filters_applied: searchFilters,
  }),
  RETRIEVED,
);
export const MemoryRecallAnswer = Success(
  'MemoryRecallAnswer',
  Type.Object({ hits: Type.Array(ref(MemoryHit)), filters_applied: searchFilters }),
  RETRIEVED,
);
export const MemoryContextAnswer = Success(
  'MemoryContextAnswer',
  Type.Object({
    items: Type.Array(
      Type.Object({
        ...hitFields,
        tokens: Type.Integer(),
        truncated: Type.Optional(Type.Literal(true)),
      }),
    ),
    context_text: Type.String({ description: 'The items for a prompt' }),
    budget: Type.Object({
      max_tokens: Type.Integer(),
      used_tokens: Type.Integer(),
      max_items: Type.Integer(),
    }),
    omitted: Type.Integer({ description: 'How many more have words of the query' }),
  }),
  RETRIEVED,
);
export const MemoryAnswer = Success('MemoryAnswer', ref(Memory), 'Memory retrieved successfully');
export const RememberedAnswer = Success(
  'RememberedAnswer',
  Type.Object({
    outcome: StringEnum(['created', 'updated', 'duplicate']),
    memory: ref(Memory),
  }),
  'Memory remembered',
);
export const ForgottenAnswer = Success(
  'ForgottenAnswer',
  Type.Object({ reference: MemoryReference, mode: StringEnum(['soft', 'hard', 'redact']) }),
  'Memory forgotten',
);
export const MemoryExplainedAnswer = Success(
  'MemoryExplainedAnswer',
  Type.Object({
    memory: ref(Memory),
    score: Type.Optional(Type.Number()),
    explanation: Type.Optional(ref(MemoryExplanation)),
  }),
  'Memory explained',
);
export const MemoryVersionsAnswer = Success(
  'MemoryVersionsAnswer',
  Type.Object({
    versions: Type.Array(
      Type.Object({
        version: Type.Integer(),
        path: Type.String(),
        memory_type: MemoryType,
        content: Type.String(),
        replaced_at: Timestamp,
      }),
    ),
    pagination: ref(Pagination),
  }),
  'Versions retrieved successfully',
);
export const MemoryImportAnswer = Success(
  'MemoryImportAnswer',
  Type.Object({
    created: Type.Integer(),
    updated: Type.Integer(),
    duplicate: Type.Integer(),
    refused: Type.Integer(),
    items: Type.Array(
      Type.Object({
        index: Type.Integer({ description: 'Place of the line, from 0' }),
        detail: Type.String({ description: 'Why it was refused' }),
      }),
      { description: 'The first 10,000 that were refused' },
    ),
  }),
  'Memories imported',
);
