import { type Static, Type } from '@sinclair/typebox';
import { createValidatorCompiler } from '../http/validation.ts';
import { isObject } from '../json.ts';
import { StringEnum } from '../schemas/common.ts';

export const DEFAULT_LIMIT = 50;

/** What `tools/search` reads of its parameters. */
export const SearchParams = Type.Object({
  query: Type.Optional(
    Type.String({
      maxLength: 1024,
      description:
        'Words in name, description, tags or category, all of them; `OR`, `"a phrase"`, `-without`',
    }),
  ),
  category: Type.Optional(Type.String({ maxLength: 256, description: 'Compared exactly' })),
  tags: Type.Optional(
    Type.Array(Type.String({ maxLength: 64 }), { maxItems: 64, description: 'Any of them' }),
  ),
  readOnly: Type.Optional(Type.Boolean({ description: 'With or without the read-only hint' })),
  cursor: Type.Optional(Type.String({ maxLength: 512, description: 'nextCursor of a page' })),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, description: 'Tools a page (50)' }),
  ),
  rank: Type.Optional(
    StringEnum(['relevance'], { description: 'The best first; one of the words is enough' }),
  ),
  detail: Type.Optional(
    StringEnum(['names', 'summary', 'full'], { description: 'How much of each tool (full)' }),
  ),
  minSuccessRate: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, description: 'Lowest success rate' }),
  ),
  explain: Type.Optional(
    Type.Boolean({ description: 'With `rank`: say of each tool why it ranks there' }),
  ),
});
export type SearchParams = Static<typeof SearchParams>;

const check = createValidatorCompiler([])({ schema: SearchParams, httpPart: 'arguments' });

/**
 * The parameters that are known and given; null is not given, and all others are passed over.
 * @throws AppError ValidationError naming the parameter of a wrong type.
 */
export function readSearchParams(given: unknown): SearchParams {
  const known = Object.entries(isObject(given) ? given : {}).filter(
    ([name, value]) => Object.hasOwn(SearchParams.properties, name) && value !== null,
  );
  const params = Object.fromEntries(known);
  const { error } = check(params);
  if (error !== undefined) throw error;
  return params;
}
