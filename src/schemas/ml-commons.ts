import { type Static, Type } from '@sinclair/typebox';
import type { JsonObject } from '../json.ts';
import { MapOf, ref } from './common.ts';
import * as examples from './examples.ts';

const AnyObject = (description: string) =>
  Type.Unsafe<JsonObject>({ type: 'object', additionalProperties: true, description });

const fields = {
  name: Type.String({
    pattern: '^[A-Za-z0-9_.-]{1,128}$',
    description: '1 to 128 of A-Z a-z 0-9 _ . - (unique and case-sensitive)',
    examples: ['WebSearchTool'],
  }),
  description: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'] })),
  parameters: Type.Optional(AnyObject('Kept apart and returned as given')),
  attributes: Type.Optional(
    AnyObject('Kept apart; `input_schema` is a JSON Schema, as an object or as JSON text'),
  ),
};

export const MlTool = Type.Object(
  {
    type: Type.String({ minLength: 1, maxLength: 128, description: 'Type of the tool' }),
    ...fields,
  },
  { $id: 'MlTool', additionalProperties: false },
);

export const MlToolUpdate = Type.Object(
  { type: Type.Optional(Type.String({ description: 'Accepted and ignored' })), ...fields },
  { $id: 'MlToolUpdate', additionalProperties: false },
);

export const MlRegistration = Type.Object(
  { tools: Type.Array(ref(MlTool), { minItems: 1, maxItems: 500 }) },
  { $id: 'MlRegistration', additionalProperties: false, examples: [examples.mlRegistration] },
);
export type MlRegistration = Static<typeof MlRegistration>;

export const MlUpdate = Type.Object(
  { tools: Type.Array(ref(MlToolUpdate), { minItems: 1, maxItems: 500 }) },
  { $id: 'MlUpdate', additionalProperties: false, examples: [examples.mlUpdate] },
);
export type MlUpdate = Static<typeof MlUpdate>;

export const MlRemoval = Type.Array(Type.String(), {
  $id: 'MlRemoval',
  maxItems: 500,
  description: 'Names; an element may hold several, separated by commas',
  examples: [examples.mlRemoval],
});

export const MlNodes = MapOf(
  Type.Object({
    created: Type.Optional(Type.Boolean()),
    updated: Type.Optional(Type.Boolean()),
    removed: Type.Optional(Type.Boolean()),
  }),
  { $id: 'MlNodes', description: 'What happened, by node id; there is one node' },
);

export const MlListedTool = Type.Object(
  {
    type: Type.String(),
    name: Type.String(),
    description: Type.Optional(Type.String()),
    parameters: Type.Optional(AnyObject('As registered')),
    attributes: Type.Optional(AnyObject('As registered')),
    create_time: Type.Integer({ description: 'Milliseconds since 1970 UTC' }),
    last_update_time: Type.Integer({ description: 'Milliseconds since 1970 UTC' }),
  },
  { $id: 'MlListedTool' },
);

export const MlToolList = Type.Object(
  { tools: Type.Array(ref(MlListedTool)) },
  { $id: 'MlToolList' },
);

export const OpenSearchError = Type.Object(
  {
    error: Type.Object({
      root_cause: Type.Array(Type.Object({ type: Type.String(), reason: Type.String() })),
      type: Type.String(),
      reason: Type.String(),
    }),
    status: Type.Integer(),
  },
  { $id: 'OpenSearchError' },
);
