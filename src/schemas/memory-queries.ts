import { Type } from '@sinclair/typebox';
import { FORGET_MODES } from '../memory/change.ts';
import { DEFAULT_ITEMS, DEFAULT_TOKENS, MAX_ITEMS, MAX_TOKENS } from '../memory/context.ts';
import { MAX_PATH } from '../memory/path-filter.ts';
import { MAX_MEMORY_QUERY } from '../memory/query.ts';
import { DEFAULT_LIMIT, MAX_LIMIT } from '../memory/search.ts';
import { MEMORY_SORTS } from '../store/memory-reader.ts';
import { MEMORY_STATUSES } from '../store/memory-rows.ts';
import { PAGE_FROM, PAGE_SIZE, StringEnum } from './common.ts';

const Filters = {
  path_filter: Type.Optional(
    Type.String({
      maxLength: MAX_PATH,
      description: 'A path, and all below it: projects/x, projects/x/%; % or blank is everything',
    }),
  ),
  memory_type: Type.Optional(
    Type.String({
      maxLength: 64,
      description:
        'semantic, episodic, procedural, working, identity; `durable` is all but working, `event` is episodic; % or blank is everything',
    }),
  ),
};

/** Reading or changing what is another's, by its id. */
export const Owner = {
  owner: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 128,
      description: "A principal's id: its memories instead of one's own (scope `memory:admin`)",
    }),
  ),
};

export const MemoryListQuery = Type.Object({
  size: PAGE_SIZE,
  from: PAGE_FROM,
  sort: StringEnum(MEMORY_SORTS, { default: 'created_at', description: 'Sort field' }),
  order: Type.Optional(
    StringEnum(['asc', 'desc'], {
      description: 'Sort order; absent: the newest first, else `asc`',
    }),
  ),
  ...Filters,
  status: Type.Optional(StringEnum(MEMORY_STATUSES, { description: 'active when absent' })),
  search: Type.Optional(
    Type.String({
      maxLength: 1024,
      description:
        'Words in the content, all of them, by the grammar of tools. Blank is not applied',
    }),
  ),
  ...Owner,
});

const query = Type.String({
  maxLength: MAX_MEMORY_QUERY,
  description: 'What is looked for',
});

export const MemorySearchQuery = Type.Object({
  query,
  limit: Type.Integer({
    minimum: 1,
    maximum: MAX_LIMIT,
    default: DEFAULT_LIMIT,
    description: 'Most hits',
  }),
  ...Filters,
  prefer_working: Type.Boolean({
    default: false,
    description: 'Working memories first where several answer equally well',
  }),
  explain: Type.Optional(Type.Boolean({ description: 'Say of each hit why it is one' })),
  ...Owner,
});

export const MemoryContextQuery = Type.Object({
  query,
  max_tokens: Type.Integer({
    minimum: 1,
    maximum: MAX_TOKENS,
    default: DEFAULT_TOKENS,
    description: 'Never exceeded; a token is about 4 bytes, or a character of Chinese and the like',
  }),
  max_items: Type.Integer({ minimum: 1, maximum: MAX_ITEMS, default: DEFAULT_ITEMS }),
  ...Filters,
  prefer_working: Type.Boolean({ default: false }),
});

export const MemoryExplainQuery = Type.Object({
  query: Type.Optional(
    Type.String({ maxLength: MAX_MEMORY_QUERY, description: 'Why it answers this' }),
  ),
});

export const MemoryHistoryQuery = Type.Object({ size: PAGE_SIZE, from: PAGE_FROM, ...Owner });

export const ForgetQuery = Type.Object({
  mode: StringEnum(FORGET_MODES, {
    default: 'soft',
    description: 'Hide it until it is restored; erase it; or erase all but that it was there',
  }),
  replacement_content: Type.Optional(
    Type.String({
      maxLength: 1_000,
      description: 'With `redact`: stands where the content was; else without effect',
    }),
  ),
  ...Owner,
});

export const MemoryExportQuery = Type.Object({ ...Filters, ...Owner });
