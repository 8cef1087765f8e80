import { type Static, Type } from '@sinclair/typebox';
import { SCOPE_NAMES } from '../auth/authorize.ts';
import { MEMORY_FATES } from '../auth/remove-user.ts';
import { USER_NAME } from '../auth/user-name.ts';
import { ref, StringEnum, Success, Timestamp } from './common.ts';
import * as examples from './examples.ts';
import { CallerToken } from './token.ts';

export const UserName = Type.String({
  ...USER_NAME,
  examples: ['ci'],
});
const Password = Type.String({
  description: '8 characters to 1,024 bytes',
  examples: ['correct horse battery'],
});
const Scopes = Type.Array(StringEnum(SCOPE_NAMES), { uniqueItems: true });

export const User = Type.Object(
  {
    user_id: Type.String({ description: 'Opaque, never given to another user' }),
    name: UserName,
    scopes: Scopes,
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { $id: 'User' },
);

export const NewUser = Type.Object(
  { name: UserName, password: Password, scopes: Scopes },
  { $id: 'NewUser', additionalProperties: false, examples: [examples.newUser] },
);
export type NewUser = Static<typeof NewUser>;

export const UserUpdate = Type.Object(
  { scopes: Scopes },
  { $id: 'UserUpdate', additionalProperties: false, examples: [examples.userUpdate] },
);

/** What becomes of the memories of a user that is removed. */
export const UserRemoval = Type.Object({
  memories: Type.Optional(
    StringEnum(MEMORY_FATES, {
      description:
        'Needed when the user has memories: keep them for the scope `memory:admin`, transfer them to the user `to`, or erase them for good',
    }),
  ),
  to: Type.Optional(
    Type.String({ maxLength: 64, description: 'With `transfer`: the name of who gets them' }),
  ),
});

export const PasswordChange = Type.Object(
  {
    password: Password,
    current_password: Type.Optional(
      Type.String({ description: "Needed to change one's own password" }),
    ),
  },
  { $id: 'PasswordChange', additionalProperties: false, examples: [examples.passwordChange] },
);
export type PasswordChange = Static<typeof PasswordChange>;

export const WhoAmI = Type.Object(
  {
    user_id: Type.String(),
    name: Type.String(),
    scopes: Scopes,
    token: Type.Optional(ref(CallerToken)),
  },
  { $id: 'WhoAmI' },
);

export const UserAnswer = Success('UserAnswer', ref(User), 'User retrieved successfully');
export const UsersAnswer = Success(
  'UsersAnswer',
  Type.Object({ users: Type.Array(ref(User)) }),
  'Users retrieved successfully',
);
export const WhoAmIAnswer = Success('WhoAmIAnswer', ref(WhoAmI), 'Caller retrieved successfully');
