import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from '@sinclair/typebox';
import type { Config } from '../config.ts';
import { givenText } from '../given-filters.ts';
import { success } from '../http/answers.ts';
import { callerOf } from '../http/authentication.ts';
import { actingFor } from '../memory/access.ts';
import { forget, restoreMemory, updateMemory } from '../memory/change.ts';
import { shownMemory, shownVersion } from '../memory/memory.ts';
import { getMemory, listMemories, memoryHistory } from '../memory/read.ts';
import { remember } from '../memory/remember.ts';
import { pagination } from '../pagination.ts';
import { ref } from '../schemas/common.ts';
import * as examples from '../schemas/examples-memory.ts';
import {
  ForgottenAnswer,
  MemoryAnswer,
  MemoryPageAnswer,
  MemoryReference,
  MemoryUpdate,
  MemoryVersionsAnswer,
  NewMemory,
  RememberedAnswer,
} from '../schemas/memory.ts';
import {
  ForgetQuery,
  MemoryHistoryQuery,
  MemoryListQuery,
  Owner,
} from '../schemas/memory-queries.ts';
import { operation } from '../schemas/operation.ts';
import type { Store } from '../store/store.ts';

const tags = ['Memories'];
const params = Type.Object({ reference: MemoryReference });
const rememberedAnswer = (description: string, example: unknown) => ({
  description,
  schema: ref(RememberedAnswer),
  example,
});

/** Memories one by one: remember, list, get, change, forget, restore, history. */
export const memoryRoutes: FastifyPluginAsyncTypebox<{ store: Store; config: Config }> = async (
  app,
  { store, config: { memorySecrets } },
) => {
  app.get(
    '/memories',
    {
      config: { access: 'memory:read' },
      schema: operation(
        {
          operationId: 'listMemories',
          summary: 'List memories',
          description: 'A page of the memories that match all filters.',
          tags,
        },
        { querystring: MemoryListQuery, errors: ['FilterError', 'AuthorizationError'] },
        {
          200: {
            description: 'A page of memories',
            schema: ref(MemoryPageAnswer),
            example: examples.page,
          },
        },
      ),
    },
    async (request) => {
      const { owner, ...query } = request.query;
      const principal = await actingFor(store, callerOf(request), owner);
      const { memories, total } = await listMemories(store, principal, query);
      const { size, from, path_filter, memory_type, status = null, search } = query;
      return success(
        total === 0 ? 'No memories found matching the criteria' : 'Memories retrieved successfully',
        {
          memories: memories.map(shownMemory),
          pagination: pagination(total, size, from, memories.length),
          filters_applied: {
            path_filter: givenText(path_filter) ?? null,
            memory_type: givenText(memory_type) ?? null,
            status,
            search: givenText(search) ?? null,
          },
        },
      );
    },
  );

  app.post(
    '/memories',
    {
      config: { access: 'memory:write' },
      schema: operation(
        {
          operationId: 'remember',
          summary: 'Remember something',
          description:
            'In the place of the memory with the same `semantic_key` at the path; not twice, when an equal content is there; else as a new one. What looks like a credential is masked, or the memory refused (TOOLCRIB_MEMORY_SECRETS).',
          tags,
        },
        { body: ref(NewMemory), errors: ['NotFoundError', 'ConflictError'] },
        {
          200: rememberedAnswer('It was known, or replaced another one', examples.known),
          201: rememberedAnswer('A new memory', examples.remembered),
        },
      ),
    },
    async (request, reply) => {
      const caller = callerOf(request);
      const { outcome, memory } = await remember(store, caller, request.body, memorySecrets);
      reply.code(outcome === 'created' ? 201 : 200);
      return success(outcome === 'duplicate' ? 'Memory was known' : 'Memory remembered', {
        outcome,
        memory: shownMemory(memory),
      });
    },
  );

  app.get(
    '/memories/:reference',
    {
      config: { access: 'memory:read' },
      schema: operation(
        {
          operationId: 'getMemory',
          summary: 'Get one memory',
          description: "Another's is not found, like one that never was.",
          tags,
        },
        { params, querystring: Type.Object(Owner), errors: ['NotFoundError'] },
        { 200: { description: 'The memory', schema: ref(MemoryAnswer), example: examples.found } },
      ),
    },
    async (request) => {
      const principal = await actingFor(store, callerOf(request), request.query.owner);
      const memory = await getMemory(store, principal, request.params.reference);
      return success('Memory retrieved successfully', shownMemory(memory));
    },
  );

  app.put(
    '/memories/:reference',
    {
      config: { access: 'memory:write' },
      schema: operation(
        {
          operationId: 'updateMemory',
          summary: 'Update a memory',
          description:
            'Omitted fields stay, null takes one away; what was there before is kept as a version.',
          tags,
        },
        { params, body: ref(MemoryUpdate), errors: ['NotFoundError'] },
        {
          200: { description: 'The memory', schema: ref(MemoryAnswer), example: examples.updated },
        },
      ),
    },
    async (request) => {
      const { reference } = request.params;
      const caller = callerOf(request);
      const memory = await updateMemory(store, caller, reference, request.body, memorySecrets);
      return success('Memory updated successfully', shownMemory(memory));
    },
  );

  app.delete(
    '/memories/:reference',
    {
      config: { access: 'memory:write' },
      schema: operation(
        {
          operationId: 'forgetMemory',
          summary: 'Forget a memory',
          description:
            '`soft` can be restored; after `hard` nothing of it is kept but that it was forgotten.',
          tags,
        },
        { params, querystring: ForgetQuery, errors: ['NotFoundError'] },
        {
          200: {
            description: 'It is forgotten',
            schema: ref(ForgottenAnswer),
            example: examples.forgotten,
          },
        },
      ),
    },
    async (request) => {
      const { reference } = request.params;
      const { mode, replacement_content, owner } = request.query;
      const principal = await actingFor(store, callerOf(request), owner);
      await forget(store, principal, reference, { mode, replacement: replacement_content });
      return success('Memory forgotten', { reference, mode });
    },
  );

  app.post(
    '/memories/:reference/restore',
    {
      config: { access: 'memory:write' },
      schema: operation(
        {
          operationId: 'restoreMemory',
          summary: 'Restore a memory',
          description: 'Brings back one that was softly forgotten.',
          tags,
        },
        { params, errors: ['NotFoundError'] },
        {
          200: { description: 'The memory', schema: ref(MemoryAnswer), example: examples.restored },
        },
      ),
    },
    async (request) => {
      const memory = await restoreMemory(store, callerOf(request), request.params.reference);
      return success('Memory restored', shownMemory(memory));
    },
  );

  app.get(
    '/memories/:reference/history',
    {
      config: { access: 'memory:read' },
      schema: operation(
        {
          operationId: 'listMemoryVersions',
          summary: "List a memory's former versions",
          description: 'What updates replaced, the newest first.',
          tags,
        },
        { params, querystring: MemoryHistoryQuery, errors: ['NotFoundError'] },
        {
          200: {
            description: 'A page of versions',
            schema: ref(MemoryVersionsAnswer),
            example: examples.history,
          },
        },
      ),
    },
    async (request) => {
      const { size, from, owner } = request.query;
      const principal = await actingFor(store, callerOf(request), owner);
      const { reference } = request.params;
      const { versions, total } = await memoryHistory(store, principal, reference, size, from);
      return success('Versions retrieved successfully', {
        versions: versions.map(shownVersion),
        pagination: pagination(total, size, from, versions.length),
      });
    },
  );
};
