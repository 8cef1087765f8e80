import { type Static, Type } from '@sinclair/typebox';

/** Null is as absent: clients written for PraisonAI send it. */
const orNull = <Value>(type: string, more: object = {}) =>
  Type.Optional(Type.Unsafe<Value | null>({ type: [type, 'null'], ...more }));

const choice = <const Values extends readonly string[]>(values: Values, description: string) =>
  Type.Optional(
    Type.Unsafe<Values[number] | null>({
      type: ['string', 'null'],
      enum: [...values, null],
      description,
    }),
  );

/** The parameters of `tools/search`: PraisonAI's, and from `limit` on ours. Others are ignored. */
export const SearchToolsParams = Type.Object({
  query: orNull<string>('string', {
    description:
      'Words in name, description, tags or category, all of them; `OR`, `"a phrase"`, `-without`',
  }),
  category: orNull<string>('string', { description: 'Compared exactly' }),
  tags: orNull<string[]>('array', {
    items: { type: 'string' },
    maxItems: 64,
    description: 'Tools with any of these, compared exactly',
  }),
  readOnly: orNull<boolean>('boolean', {
    description: 'Tools with (true) or without (false) the read-only hint',
  }),
  cursor: orNull<string>('string', { description: 'The `nextCursor` of an earlier page' }),
  limit: orNull<number>('integer', {
    minimum: 1,
    maximum: 100,
    description: 'Tools of a page, 50 when absent',
  }),
  rank: choice(
    ['name', 'relevance'],
    '`relevance`: the best first, and of the plain words of the query one is enough',
  ),
  detail: choice(
    ['names', 'summary', 'full'],
    'How much of each tool: its name; all but the schemas; everything, when absent',
  ),
  minSuccessRate: orNull<number>('number', {
    minimum: 0,
    maximum: 1,
    description: 'Lowest success rate as shown',
  }),
  explain: orNull<boolean>('boolean', {
    description: 'With `rank: "relevance"`: say of each tool why it ranks there',
  }),
});
export type SearchToolsParams = Static<typeof SearchToolsParams>;
