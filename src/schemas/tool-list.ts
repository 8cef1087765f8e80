import { type Static, Type } from '@sinclair/typebox';
import { FIELDS } from '../search/tool-words.ts';
import { RELEVANCE, SORT_COLUMNS, type ToolSort } from '../store/tool-queries.ts';
import { PAGE_FROM, PAGE_SIZE, Pagination, ref, StringEnum, Success } from './common.ts';
import { STATUSES, toolFields, usageFields } from './tool.ts';

const FilterText = Type.Optional(
  Type.String({ maxLength: 256, description: 'Compared exactly; blank is not applied' }),
);

export const ToolListQuery = Type.Object({
  size: PAGE_SIZE,
  from: PAGE_FROM,
  sort: StringEnum([...(Object.keys(SORT_COLUMNS) as ToolSort[]), RELEVANCE], {
    default: 'name',
    description:
      'Sort field; ties are in name order. `relevance` needs `search`, of whose plain words one is enough then',
  }),
  order: Type.Optional(
    StringEnum(['asc', 'desc'], {
      description: 'Sort order; absent: `asc`, for `relevance` `desc`',
    }),
  ),
  category: FilterText,
  status: Type.Optional(StringEnum(STATUSES, { description: 'Only tools with this status' })),
  search: Type.Optional(
    Type.String({
      maxLength: 1024,
      description:
        'Words in name or description, all of them; `OR`, `"a phrase"`, `-without`. Blank is not applied',
    }),
  ),
  min_success_rate: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, description: 'Lowest success rate as shown' }),
  ),
  tags: Type.Optional(
    Type.Array(Type.String({ maxLength: 64 }), {
      maxItems: 64,
      description: 'Repeatable: tools with any of these tags',
    }),
  ),
  read_only: Type.Optional(
    Type.Boolean({ description: 'Tools with (true) or without (false) the read-only hint' }),
  ),
  author: FilterText,
  server: FilterText,
  explain: Type.Optional(
    Type.Boolean({
      description:
        'With `sort=relevance`: say of each tool why it ranks there; else without effect',
    }),
  ),
});
export type ToolListQuery = Static<typeof ToolListQuery>;

const Nullable = (type: 'string' | 'number' | 'boolean') =>
  Type.Unsafe<string | number | boolean | null>({ type: [type, 'null'] });

export const Explanation = Type.Object(
  {
    name: Type.Optional(
      StringEnum(['equal', 'begins'], {
        description: 'The whole search is the name of the tool, or the name begins with it',
      }),
    ),
    words: Type.Array(
      Type.Object({
        word: Type.String({ description: 'Of the search, folded' }),
        matched: Type.String({ description: 'What answers to it in the tool' }),
        relation: StringEnum(['word', 'synonym', 'spelling', 'prefix'], {
          description:
            'It is the word in any of its forms, a synonym, a word it was taken for, or one that begins with it',
        }),
        fields: Type.Array(StringEnum(FIELDS), { description: 'Where it stands' }),
        share: Type.Number({ description: 'Its part of what all words gave, 0 to 1' }),
      }),
      { description: 'The weightiest first' },
    ),
  },
  { $id: 'Explanation', description: 'Why a tool ranks where it does' },
);

export const RankedTool = Type.Object(
  {
    ...toolFields,
    usage_stats: Type.Object(usageFields),
    score: Type.Optional(
      Type.Number({ description: 'With `sort=relevance`: how well it answers the search, 0 to 1' }),
    ),
    explanation: Type.Optional(ref(Explanation)),
  },
  { $id: 'RankedTool' },
);

export const ToolPage = Type.Object(
  {
    tools: Type.Array(ref(RankedTool)),
    pagination: ref(Pagination),
    filters_applied: Type.Object(
      {
        category: Nullable('string'),
        status: Nullable('string'),
        search: Nullable('string'),
        min_success_rate: Type.Optional(Type.Number()),
        tags: Type.Optional(Type.Array(Type.String())),
        read_only: Type.Optional(Type.Boolean()),
        author: Type.Optional(Type.String()),
        server: Type.Optional(Type.String()),
      },
      { description: 'null or absent: not applied' },
    ),
    search: Type.Optional(
      Type.Object(
        {
          mode: StringEnum(['lexical', 'hybrid'], {
            description: 'By words, or by words and meaning',
          }),
          degraded: Type.Optional(
            Type.Boolean({
              description: 'True when meaning should have taken part and could not',
            }),
          ),
        },
        { description: 'With `sort=relevance`: how it was searched' },
      ),
    ),
  },
  { $id: 'ToolPage' },
);

export const ToolPageAnswer = Success(
  'ToolPageAnswer',
  ref(ToolPage),
  'Tools retrieved successfully',
);
