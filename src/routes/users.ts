import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from '@sinclair/typebox';
import type { Authenticator } from '../auth/authenticator.ts';
import { authorize } from '../auth/authorize.ts';
import { verifyPassword } from '../auth/passwords.ts';
import { createUser, removeUser, setPassword, setScopes, userNotFound } from '../auth/users.ts';
import { wireTime } from '../catalogue/wire-time.ts';
import { AppError, validationError } from '../errors.ts';
import { success } from '../http/answers.ts';
import { callerOf } from '../http/authentication.ts';
import { ref } from '../schemas/common.ts';
import * as examples from '../schemas/examples.ts';
import { operation } from '../schemas/operation.ts';
import {
  NewUser,
  PasswordChange,
  UserAnswer,
  UserName,
  UsersAnswer,
  UserUpdate,
  WhoAmIAnswer,
} from '../schemas/user.ts';
import type { Store } from '../store/store.ts';
import type { UserRecord } from '../store/users.ts';

const tags = ['Users'];
const params = Type.Object({ name: UserName });

/** Users and their scopes, for admins; everyone may ask who they are and change their password. */
export const userRoutes: FastifyPluginAsyncTypebox<{
  store: Store;
  authenticator: Authenticator;
}> = async (app, { store, authenticator }) => {
  app.get(
    '/whoami',
    {
      config: { access: 'authenticated' },
      schema: operation(
        {
          operationId: 'whoami',
          summary: 'Who is asking',
          description: 'The user behind the credentials, and its scopes.',
          tags,
        },
        {},
        { 200: { description: 'The caller', schema: ref(WhoAmIAnswer), example: examples.whoami } },
      ),
    },
    async (request) => {
      const { id, name, scopes } = callerOf(request);
      return success('Caller retrieved successfully', { user_id: id, name, scopes });
    },
  );

  app.get(
    '/users',
    {
      config: { access: 'admin' },
      schema: operation(
        { operationId: 'listUsers', summary: 'List users', description: 'In name order.', tags },
        {},
        { 200: { description: 'All users', schema: ref(UsersAnswer), example: examples.users } },
      ),
    },
    async () => {
      const users = await store.users.list();
      return success('Users retrieved successfully', { users: users.map(shown) });
    },
  );

  app.post(
    '/users',
    {
      config: { access: 'admin' },
      schema: operation(
        {
          operationId: 'createUser',
          summary: 'Create a user',
          description: 'With a name, a password and scopes.',
          tags,
        },
        { body: ref(NewUser), errors: ['ConflictError'] },
        {
          201: { description: 'The user', schema: ref(UserAnswer), example: examples.userCreated },
        },
      ),
    },
    async (request, reply) => {
      const user = await createUser(store, request.body);
      authenticator.remember(user.name, request.body.password, user);
      reply.code(201);
      return success('User created successfully', shown(user));
    },
  );

  app.get(
    '/users/:name',
    {
      config: { access: 'admin' },
      schema: operation(
        { operationId: 'getUser', summary: 'Get one user', description: 'By name.', tags },
        { params, errors: ['NotFoundError'] },
        { 200: { description: 'The user', schema: ref(UserAnswer), example: examples.userFound } },
      ),
    },
    async (request) => {
      const user = await store.users.get(request.params.name);
      if (user === undefined) throw userNotFound(request.params.name);
      return success('User retrieved successfully', shown(user));
    },
  );

  app.put(
    '/users/:name',
    {
      config: { access: 'admin' },
      schema: operation(
        {
          operationId: 'updateUser',
          summary: "Replace a user's scopes",
          description: 'They count from the next request on.',
          tags,
        },
        { params, body: ref(UserUpdate), errors: ['NotFoundError', 'ConflictError'] },
        {
          200: { description: 'The user', schema: ref(UserAnswer), example: examples.userUpdated },
        },
      ),
    },
    async (request) => {
      const user = await setScopes(store, request.params.name, request.body.scopes);
      return success('User updated successfully', shown(user));
    },
  );

  app.put(
    '/users/:name/password',
    {
      config: { access: 'authenticated' },
      schema: operation(
        {
          operationId: 'changePassword',
          summary: 'Change a password',
          description: "One's own with the current one; with the scope admin, anyone's.",
          tags,
        },
        { params, body: ref(PasswordChange), errors: ['NotFoundError'] },
        {
          200: {
            description: 'The user',
            schema: ref(UserAnswer),
            example: examples.passwordChanged,
          },
        },
      ),
    },
    async (request) => {
      const caller = callerOf(request);
      const { name } = request.params;
      const user = await store.users.get(name);
      authorize(caller, 'admin', { owner: user?.id });
      if (user === undefined) throw userNotFound(name);
      if (user.id === caller.id) await assertCurrentPassword(user, request.body);
      const changed = await setPassword(store, name, request.body.password);
      authenticator.remember(name, request.body.password, changed);
      return success('Password changed successfully', shown(changed));
    },
  );

  app.delete(
    '/users/:name',
    {
      config: { access: 'admin' },
      schema: operation(
        {
          operationId: 'removeUser',
          summary: 'Remove a user',
          description: 'The last user with the scope admin stays.',
          tags,
        },
        { params, errors: ['NotFoundError', 'ConflictError'] },
        {
          200: {
            description: 'The removed user',
            schema: ref(UserAnswer),
            example: examples.userRemoved,
          },
        },
      ),
    },
    async (request) => {
      const user = await removeUser(store, request.params.name);
      return success('User removed successfully', shown(user));
    },
  );
};

function shown({ id, name, scopes, created_at, updated_at }: UserRecord) {
  return {
    user_id: id,
    name,
    scopes,
    created_at: wireTime(created_at),
    updated_at: wireTime(updated_at),
  };
}

/** A stolen session must not be able to lock its owner out. */
async function assertCurrentPassword(user: UserRecord, change: PasswordChange): Promise<void> {
  const { current_password: current } = change;
  if (current === undefined) {
    throw validationError('Invalid request body', [
      { field: 'current_password', reason: "Current password is required to change one's own" },
    ]);
  }
  if (await verifyPassword(current, user.password_hash, { urgent: true })) return;
  throw new AppError('AuthorizationError', 'The current password is wrong', {
    field: 'current_password',
  });
}
