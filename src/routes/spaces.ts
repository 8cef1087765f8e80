import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from '@sinclair/typebox';
import { success } from '../http/answers.ts';
import { callerOf } from '../http/authentication.ts';
import { createSpace, listSpaces, removeSpace, setMembers, shownSpace } from '../memory/spaces.ts';
import { ref } from '../schemas/common.ts';
import * as examples from '../schemas/examples-memory.ts';
import { operation } from '../schemas/operation.ts';
import { NewSpace, SpaceAnswer, SpaceName, SpacesAnswer, SpaceUpdate } from '../schemas/space.ts';
import type { Store } from '../store/store.ts';

const tags = ['Memories'];
const params = Type.Object({ name: SpaceName });

/** Spaces, whose memories their members share. */
export const spaceRoutes: FastifyPluginAsyncTypebox<{ store: Store }> = async (app, { store }) => {
  app.get(
    '/spaces',
    {
      config: { access: 'memory:read' },
      schema: operation(
        {
          operationId: 'listSpaces',
          summary: 'List spaces',
          description: 'Those that the caller is in; all of them with the scope `admin`.',
          tags,
        },
        {},
        {
          200: { description: 'The spaces', schema: ref(SpacesAnswer), example: examples.spaces },
        },
      ),
    },
    async (request) => {
      const spaces = await listSpaces(store, callerOf(request));
      return success('Spaces retrieved successfully', { spaces: spaces.map(shownSpace) });
    },
  );

  app.post(
    '/spaces',
    {
      config: { access: 'admin' },
      schema: operation(
        {
          operationId: 'createSpace',
          summary: 'Create a space',
          description:
            'Its memories are at `space/<name>/…`: readers see them, writers change them.',
          tags,
        },
        { body: ref(NewSpace), errors: ['ConflictError'] },
        {
          201: {
            description: 'The space',
            schema: ref(SpaceAnswer),
            example: examples.spaceCreated,
          },
        },
      ),
    },
    async (request, reply) => {
      const space = await createSpace(store, callerOf(request), request.body);
      reply.code(201);
      return success('Space created successfully', shownSpace(space));
    },
  );

  app.put(
    '/spaces/:name',
    {
      config: { access: 'admin' },
      schema: operation(
        {
          operationId: 'updateSpace',
          summary: "Set a space's members",
          description: 'They take the place of those it has; it counts from the next request.',
          tags,
        },
        { params, body: ref(SpaceUpdate), errors: ['NotFoundError'] },
        {
          200: {
            description: 'The space',
            schema: ref(SpaceAnswer),
            example: examples.spaceUpdated,
          },
        },
      ),
    },
    async (request) => {
      const { name } = request.params;
      const space = await setMembers(store, callerOf(request), name, request.body.members);
      return success('Space updated successfully', shownSpace(space));
    },
  );

  app.delete(
    '/spaces/:name',
    {
      config: { access: 'admin' },
      schema: operation(
        {
          operationId: 'removeSpace',
          summary: 'Remove a space',
          description: 'Its memories are erased.',
          tags,
        },
        { params, errors: ['NotFoundError'] },
        {
          200: {
            description: 'The removed space',
            schema: ref(SpaceAnswer),
            example: examples.spaceRemoved,
          },
        },
      ),
    },
    async (request) => {
      const space = await removeSpace(store, callerOf(request), request.params.name);
      return success('Space removed successfully', shownSpace(space));
    },
  );
};
