import { Type } from '@sinclair/typebox';
import { EARLIER, GivenTime } from './call.ts';
import { MapOf, Pagination, ref, Success, Timestamp } from './common.ts';

export const Act = Type.Object(
  {
    id: Type.Integer({ description: 'Rises with every act' }),
    at: Timestamp,
    principal: Type.String({ description: 'Id of who acted; empty for the command line' }),
    token: Type.Optional(Type.String({ description: 'Id of the token that was used' })),
    action: Type.String({ examples: ['token.create'] }),
    subject: Type.String({ description: 'Id of what it was done to' }),
    details: MapOf(
      Type.Unsafe<string | number | boolean>({ type: ['string', 'number', 'boolean'] }),
      {
        description: 'Further ids, hashes and scopes; never content',
      },
    ),
  },
  { $id: 'Act' },
);

export const AuditFilterQuery = {
  principal: Type.Optional(
    Type.String({ maxLength: 128, description: 'Only acts of this user: its name or id' }),
  ),
  action: Type.Optional(
    Type.String({ maxLength: 64, description: 'Only this action, such as `token.create`' }),
  ),
  since: Type.Optional(GivenTime('Only acts at or after this time', EARLIER)),
  until: Type.Optional(GivenTime('Only acts before this time')),
};

const NullableText = Type.Unsafe<string | null>({ type: ['string', 'null'] });

export const AuditAnswer = Success(
  'AuditAnswer',
  Type.Object({
    acts: Type.Array(ref(Act)),
    pagination: ref(Pagination),
    filters_applied: Type.Object({
      principal: NullableText,
      action: NullableText,
      since: NullableText,
      until: NullableText,
    }),
  }),
  'Acts retrieved successfully',
);
