import { type Static, Type } from '@sinclair/typebox';
import { RFC3339_PATTERN } from '../rfc3339-time.ts';
import { Pagination, ref, StringEnum, Success, Timestamp } from './common.ts';
import * as examples from './examples-usage.ts';
import { ToolId } from './tool.ts';

/** An example of the start of a period. */
export const EARLIER = '2024-01-01T11:00:00Z';

/** A time that a client gives. */
export const GivenTime = (description: string, example = '2024-01-01T12:00:00Z') =>
  Type.String({
    pattern: RFC3339_PATTERN,
    maxLength: 40,
    description: `${description}: RFC 3339 with seconds and an offset, as 2024-01-01T12:00:00Z`,
    examples: [example],
  });

const callFields = {
  timestamp: Type.Optional(
    GivenTime('When it ended (now, when left out; at most 30 days ago and 5 minutes ahead)'),
  ),
  execution_time_ms: Type.Number({ minimum: 0, maximum: 86_400_000, description: 'Duration' }),
  success: Type.Boolean({ description: 'Whether the tool did what it was asked' }),
  error: Type.Optional(
    Type.String({ description: 'Cut to 200 characters; what looks like a credential is masked' }),
  ),
  caller: Type.Optional(
    Type.String({ minLength: 1, maxLength: 128, description: 'Which agent or application called' }),
  ),
  call_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 128,
      description: 'Makes it safe to send again: one tool and one id are one call, for 30 days',
    }),
  ),
};

export const Call = Type.Object(callFields, { $id: 'Call', additionalProperties: false });
export type Call = Static<typeof Call>;

export const BulkCall = Type.Object(
  {
    tool_id: Type.Optional(ToolId),
    name: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9_.-]{1,128}$',
        description: '1 to 128 of A-Z a-z 0-9 _ . -',
      }),
    ),
    ...callFields,
  },
  {
    $id: 'BulkCall',
    additionalProperties: false,
    description: 'A call of the tool with this `tool_id`, or with this `name`: one of the two',
    examples: [examples.bulkReport.calls[0]],
  },
);
export type BulkCall = Static<typeof BulkCall>;

const MAX_CALLS = 10_000;

export const CallReport = Type.Object(
  { calls: Type.Array(ref(Call), { minItems: 1, maxItems: MAX_CALLS }) },
  { $id: 'CallReport', additionalProperties: false, examples: [examples.report] },
);

export const BulkCallReport = Type.Object(
  { calls: Type.Array(ref(BulkCall), { minItems: 1, maxItems: MAX_CALLS }) },
  { $id: 'BulkCallReport', additionalProperties: false, examples: [examples.bulkReport] },
);

export const CallLines = Type.Unsafe<unknown>({
  $id: 'CallLines',
  description: 'Lines of JSON, each a BulkCall; each is validated when its turn comes',
  examples: [examples.lines],
});

export const RecordedCalls = Type.Object(
  {
    recorded: Type.Integer({ description: 'Calls that are on disk now' }),
    duplicate: Type.Integer({ description: 'Calls that had been recorded before' }),
    refused: Type.Integer({ description: 'Calls that were not taken' }),
    items: Type.Array(
      Type.Object({
        index: Type.Integer({ description: 'Place in the report, from 0' }),
        status: StringEnum(['recorded', 'duplicate', 'refused']),
        reason: Type.Optional(StringEnum(['unknown_tool', 'too_old', 'in_future', 'invalid'])),
        detail: Type.Optional(Type.String({ description: 'What is invalid in the line' })),
      }),
      { description: 'Each call; of lines, the first 10,000 that were not recorded' },
    ),
  },
  { $id: 'RecordedCalls' },
);

export const HistoryCall = Type.Object(
  {
    tool_id: ToolId,
    timestamp: Timestamp,
    execution_time_ms: Type.Number(),
    success: Type.Boolean(),
    error: Type.Optional(Type.String()),
    caller: Type.Optional(Type.String()),
    call_id: Type.Optional(Type.String()),
    reporter: Type.String({ description: 'The user who reported it; its id when it was removed' }),
  },
  { $id: 'HistoryCall' },
);

export const CallFilterQuery = {
  success: Type.Optional(
    Type.Boolean({ description: 'Only calls that succeeded, or that failed' }),
  ),
  since: Type.Optional(GivenTime('Only calls at or after this time', EARLIER)),
  until: Type.Optional(GivenTime('Only calls before this time')),
  caller: Type.Optional(
    Type.String({ maxLength: 128, description: 'Compared exactly; blank is not applied' }),
  ),
};

const Nullable = (type: 'string' | 'boolean') =>
  Type.Unsafe<string | boolean | null>({ type: [type, 'null'] });

export const CallPage = Type.Object(
  {
    calls: Type.Array(ref(HistoryCall)),
    pagination: ref(Pagination),
    filters_applied: Type.Object({
      success: Nullable('boolean'),
      since: Nullable('string'),
      until: Nullable('string'),
      caller: Nullable('string'),
    }),
  },
  { $id: 'CallPage' },
);

export const VoidedCalls = Type.Object(
  { reporter: Type.String(), since: Timestamp, until: Timestamp, voided: Type.Integer() },
  { $id: 'VoidedCalls' },
);

export const RecordedCallsAnswer = Success(
  'RecordedCallsAnswer',
  ref(RecordedCalls),
  'Calls recorded successfully',
);
export const CallPageAnswer = Success(
  'CallPageAnswer',
  ref(CallPage),
  'Calls retrieved successfully',
);
export const VoidedCallsAnswer = Success(
  'VoidedCallsAnswer',
  ref(VoidedCalls),
  'Calls voided successfully',
);
