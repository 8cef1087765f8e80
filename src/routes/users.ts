import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from '@sinclair/typebox';
import { actorOf } from '../auth/actor.ts';
import type { Authenticator } from '../auth/authenticator.ts';
import { removeUser } from '../auth/remove-user.ts';
import { shownLimits } from '../auth/tokens.ts';
import { changePassword, createUser, setScopes, shown, userNotFound } from '../auth/users.ts';
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
  UserRemoval,
  UsersAnswer,
  UserUpdate,
  WhoAmIAnswer,
} from '../schemas/user.ts';
import type { Store } from '../store/store.ts';

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
          description:
            'The user behind the credentials, the scopes in force, and the limits of a token.',
          tags,
        },
        {},
        { 200: { description: 'The caller', schema: ref(WhoAmIAnswer), example: examples.whoami } },
      ),
    },
    async (request) => {
      const { id, name, scopes, token } = callerOf(request);
      return success('Caller retrieved successfully', {
        user_id: id,
        name,
        scopes,
        ...(token && { token: shownLimits(token) }),
      });
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
      const user = await createUser(store, request.body, actorOf(callerOf(request)));
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
      const user = await setScopes(
        store,
        request.params.name,
        request.body.scopes,
        actorOf(callerOf(request)),
      );
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
      const changed = await changePassword(
        store,
        authenticator,
        callerOf(request),
        request.params.name,
        request.body,
      );
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
          description:
            'The last user with the scope admin stays. Of a user who has memories, say what becomes of them.',
          tags,
        },
        { params, querystring: UserRemoval, errors: ['NotFoundError', 'ConflictError'] },
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
      const user = await removeUser(
        store,
        request.params.name,
        request.query,
        actorOf(callerOf(request)),
      );
      return success('User removed successfully', shown(user));
    },
  );
};
