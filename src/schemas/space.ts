import { type Static, Type } from '@sinclair/typebox';
import { SPACE_ROLES } from '../store/spaces.ts';
import { ref, StringEnum, Success, Timestamp } from './common.ts';
import * as examples from './examples-memory.ts';

export const SpaceName = Type.String({
  pattern: '^[a-z0-9][a-z0-9-]{0,63}$',
  description: '1 to 64 of a-z 0-9 and -, not first',
  examples: ['platform'],
});

const Members = Type.Array(
  Type.Object(
    {
      principal: Type.String({ minLength: 1, maxLength: 256, description: "A user's user_id" }),
      role: StringEnum(SPACE_ROLES),
    },
    { additionalProperties: false },
  ),
  { maxItems: 1_000 },
);

export const Space = Type.Object(
  {
    space_id: Type.String({ description: 'Opaque, never given to another space' }),
    name: SpaceName,
    members: Members,
    created_at: Timestamp,
  },
  { $id: 'Space' },
);

export const NewSpace = Type.Object(
  { name: SpaceName, members: Members },
  { $id: 'NewSpace', additionalProperties: false, examples: [examples.newSpace] },
);
export type NewSpace = Static<typeof NewSpace>;

export const SpaceUpdate = Type.Object(
  { members: Members },
  { $id: 'SpaceUpdate', additionalProperties: false, examples: [examples.spaceUpdate] },
);

export const SpaceAnswer = Success('SpaceAnswer', ref(Space), 'Space created successfully');
export const SpacesAnswer = Success(
  'SpacesAnswer',
  Type.Object({ spaces: Type.Array(ref(Space)) }),
  'Spaces retrieved successfully',
);
