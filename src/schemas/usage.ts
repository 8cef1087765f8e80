import { type TSchema, Type } from '@sinclair/typebox';
import { GROUPS, INTERVALS, type Interval } from '../store/usage.ts';
import { EARLIER, GivenTime } from './call.ts';
import { ref, StringEnum, Success, Timestamp } from './common.ts';
import { ToolId } from './tool.ts';

const intervals = Object.keys(INTERVALS) as Interval[];

export const PeriodQuery = {
  interval: StringEnum(intervals, {
    default: 'hour',
    description: 'Length of the buckets; minutes reach back 30 days, hours 400, days for ever',
  }),
  since: Type.Optional(
    GivenTime(
      'Start, taken down to a whole interval (60 minutes, 24 hours or 30 days before the end)',
      EARLIER,
    ),
  ),
  until: Type.Optional(GivenTime('End, not included, taken up to a whole interval (now)')),
};

export const CatalogueUsageQuery = Type.Object({
  ...PeriodQuery,
  group_by: Type.Optional(StringEnum(GROUPS, { description: 'Adds sums by this' })),
  size: Type.Integer({
    minimum: 1,
    maximum: 100,
    default: 10,
    description: 'Length of each list of tools and groups',
  }),
});

const Percentile = Type.Unsafe<number | null>({
  type: ['number', 'null'],
  description: 'Within 2 %; null without calls',
});

const sums = {
  calls: Type.Integer(),
  successes: Type.Integer(),
  success_rate: Type.Number({ description: '0 to 1 with 3 decimals; 0 without calls' }),
  avg_execution_time_ms: Type.Number({ description: 'Average, 2 decimals; 0 without calls' }),
};

const numbers = {
  ...sums,
  p50_execution_time_ms: Percentile,
  p95_execution_time_ms: Percentile,
  p99_execution_time_ms: Percentile,
  errors: Type.Array(Type.Object({ error: Type.String(), calls: Type.Integer() }), {
    description: 'The commonest errors: ten of the period, three of a bucket',
  }),
};

export const UsageBucket = Type.Object({ start: Timestamp, ...numbers }, { $id: 'UsageBucket' });

const series: Record<string, TSchema> = {
  interval: StringEnum(intervals),
  since: Timestamp,
  until: Timestamp,
  totals: Type.Object(numbers),
  buckets: Type.Array(ref(UsageBucket), { description: 'Every interval of the period in order' }),
};

export const ToolUsage = Type.Object({ tool_id: ToolId, ...series }, { $id: 'ToolUsage' });

export const UsedTool = Type.Object(
  { tool_id: ToolId, name: Type.String(), ...sums },
  { $id: 'UsedTool' },
);

export const CatalogueUsage = Type.Object(
  {
    ...series,
    most_used: Type.Array(ref(UsedTool), { description: 'Most calls in the period first' }),
    failing: Type.Array(ref(UsedTool), {
      description: 'At least 20 calls in the last 7 days and a failure, worst rate first',
    }),
    never_used: Type.Object({
      tools: Type.Array(Type.Object({ tool_id: ToolId, name: Type.String() })),
      total: Type.Integer(),
    }),
    group_by: Type.Optional(StringEnum(GROUPS)),
    groups: Type.Optional(
      Type.Array(Type.Object({ key: Type.String(), tool_id: Type.Optional(ToolId), ...sums }), {
        description: 'Most calls in the period (whole hours) first',
      }),
    ),
    groups_total: Type.Optional(Type.Integer({ description: 'Number of groups with calls' })),
  },
  { $id: 'CatalogueUsage' },
);

export const ToolUsageAnswer = Success(
  'ToolUsageAnswer',
  ref(ToolUsage),
  'Usage retrieved successfully',
);
export const CatalogueUsageAnswer = Success(
  'CatalogueUsageAnswer',
  ref(CatalogueUsage),
  'Usage retrieved successfully',
);
