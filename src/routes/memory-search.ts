import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from '@sinclair/typebox';
import { givenText } from '../given-filters.ts';
import { success } from '../http/answers.ts';
import { callerOf } from '../http/authentication.ts';
import { actingFor } from '../memory/access.ts';
import { recallContext } from '../memory/context.ts';
import { explainMemory } from '../memory/explain.ts';
import { shownMemory } from '../memory/memory.ts';
import { recall, searchMemory } from '../memory/search.ts';
import { ref } from '../schemas/common.ts';
import * as examples from '../schemas/examples-memory.ts';
import {
  MemoryContextAnswer,
  MemoryExplainedAnswer,
  MemoryRecallAnswer,
  MemoryReference,
  MemorySearchAnswer,
} from '../schemas/memory.ts';
import {
  MemoryContextQuery,
  MemoryExplainQuery,
  MemorySearchQuery,
} from '../schemas/memory-queries.ts';
import { operation } from '../schemas/operation.ts';
import type { Store } from '../store/store.ts';

const tags = ['Memories'];
const RETRIEVED = 'Memories retrieved successfully';
const NONE = 'No memories found matching the criteria';

/** Searching memories: strictly, forgivingly, for a prompt; and why one answers. */
export const memorySearchRoutes: FastifyPluginAsyncTypebox<{ store: Store }> = async (
  app,
  { store },
) => {
  app.get(
    '/memories/search',
    {
      config: { access: 'memory:read' },
      schema: operation(
        {
          operationId: 'searchMemory',
          summary: 'Search memories strictly',
          description:
            'Memories that answer the query, the best first. A weak match is no answer: fewer hits than `limit`, or none, is normal; `below_bar` counts what was left out.',
          tags,
        },
        { querystring: MemorySearchQuery, errors: ['FilterError', 'AuthorizationError'] },
        {
          200: {
            description: 'The hits',
            schema: ref(MemorySearchAnswer),
            example: examples.searched,
          },
        },
      ),
    },
    async (request) => {
      const { owner, ...search } = request.query;
      const principal = await actingFor(store, callerOf(request), owner);
      const { hits, below_bar } = await searchMemory(store, principal, search);
      const filters_applied = filters(search);
      return success(hits.length > 0 ? RETRIEVED : NONE, { hits, below_bar, filters_applied });
    },
  );

  app.get(
    '/memories/recall',
    {
      config: { access: 'memory:read' },
      schema: operation(
        {
          operationId: 'recallMemories',
          summary: 'Recall memories',
          description:
            'Forgiving: whatever has words of the query, or ones much like them, the best first.',
          tags,
        },
        { querystring: MemorySearchQuery, errors: ['FilterError', 'AuthorizationError'] },
        {
          200: {
            description: 'The hits',
            schema: ref(MemoryRecallAnswer),
            example: examples.recalled,
          },
        },
      ),
    },
    async (request) => {
      const { owner, ...search } = request.query;
      const principal = await actingFor(store, callerOf(request), owner);
      const { hits } = await recall(store, principal, search);
      const filters_applied = filters(search);
      return success(hits.length > 0 ? RETRIEVED : NONE, { hits, filters_applied });
    },
  );

  app.get(
    '/memories/context',
    {
      config: { access: 'memory:read' },
      schema: operation(
        {
          operationId: 'recallContext',
          summary: 'Pack memories for a prompt',
          description:
            'Whole memories, the best first, within a budget of tokens that is never exceeded.',
          tags,
        },
        { querystring: MemoryContextQuery, errors: ['FilterError'] },
        {
          200: {
            description: 'The pack',
            schema: ref(MemoryContextAnswer),
            example: examples.context,
          },
        },
      ),
    },
    async (request) => {
      const pack = await recallContext(store, callerOf(request), request.query);
      return success(pack.items.length > 0 ? RETRIEVED : NONE, pack);
    },
  );

  app.get(
    '/memories/:reference/explain',
    {
      config: { access: 'memory:read' },
      schema: operation(
        {
          operationId: 'explainMemory',
          summary: 'Explain a memory',
          description: 'Where it comes from and, with a `query`, why it answers it or does not.',
          tags,
        },
        {
          params: Type.Object({ reference: MemoryReference }),
          querystring: MemoryExplainQuery,
          errors: ['NotFoundError'],
        },
        {
          200: {
            description: 'The explanation',
            schema: ref(MemoryExplainedAnswer),
            example: examples.explained,
          },
        },
      ),
    },
    async (request) => {
      const { reference } = request.params;
      const { query } = request.query;
      const explained = await explainMemory(store, callerOf(request), reference, query);
      return success('Memory explained', { ...explained, memory: shownMemory(explained.memory) });
    },
  );
};

function filters(given: { path_filter?: string; memory_type?: string }) {
  return {
    path_filter: givenText(given.path_filter) ?? null,
    memory_type: givenText(given.memory_type) ?? null,
  };
}
