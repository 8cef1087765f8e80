import { Readable } from 'node:stream';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import type { Config } from '../config.ts';
import type { AppError } from '../errors.ts';
import { success } from '../http/answers.ts';
import { callerOf } from '../http/authentication.ts';
import { parseJson } from '../http/json-body.ts';
import { NDJSON, sendLines, takeLines } from '../http/ndjson.ts';
import { isObject } from '../json.ts';
import { actingFor } from '../memory/access.ts';
import { exportMemories } from '../memory/export-lines.ts';
import { importLines, importMemories, type MemoryLineParser } from '../memory/import-lines.ts';
import { ref } from '../schemas/common.ts';
import * as examples from '../schemas/examples-memory.ts';
import {
  Memory,
  MemoryBatch,
  MemoryImportAnswer,
  MemoryLines,
  NewMemory,
} from '../schemas/memory.ts';
import { MemoryExportQuery } from '../schemas/memory-queries.ts';
import { operation } from '../schemas/operation.ts';
import type { Store } from '../store/store.ts';

const tags = ['Memories'];
/** What an exported line says of the memory that it was. */
const OF_EXPORT = ['reference', 'status', 'version', 'created_at', 'updated_at', 'agent_boundary'];

/** Memories in bulk, as lines of JSON. */
export const memoryLineRoutes: FastifyPluginAsyncTypebox<{ store: Store; config: Config }> = async (
  app,
  { store, config: { memorySecrets } },
) => {
  app.get(
    '/memories/export',
    {
      config: { access: 'memory:read' },
      schema: operation(
        {
          operationId: 'exportMemories',
          summary: 'Export memories',
          description: `All active memories that match as lines of JSON (\`${NDJSON}\`), the oldest first.`,
          tags,
        },
        { querystring: MemoryExportQuery, errors: ['FilterError', 'AuthorizationError'] },
        {
          200: {
            description: 'Lines, each as this',
            mediaType: NDJSON,
            schema: ref(Memory),
            example: examples.memory,
          },
        },
      ),
    },
    async (request, reply) => {
      const { owner, ...filter } = request.query;
      const principal = await actingFor(store, callerOf(request), owner);
      const lines = await exportMemories(store, principal, filter);
      return sendLines(reply, lines);
    },
  );

  await app.register(async (scope) => {
    takeLines(scope);
    scope.withTypeProvider().post(
      '/memories/import',
      {
        config: { access: 'memory:write' },
        schema: operation(
          {
            operationId: 'importMemories',
            summary: 'Import memories',
            description:
              'Up to 1,000 in a JSON body, or as lines of JSON, up to 64 MiB, as they arrive; each is remembered as by itself. Of an exported line the reference, status, version and times are not taken over.',
            tags,
          },
          {
            body: {
              content: {
                'application/json': { schema: ref(MemoryBatch) },
                // Each line is validated when its turn comes.
                [NDJSON]: { schema: ref(MemoryLines) },
              },
            },
          },
          {
            200: {
              description: 'What became of the lines',
              schema: ref(MemoryImportAnswer),
              example: examples.imported,
            },
          },
        ),
      },
      async (request) => {
        const { body } = request;
        const caller = callerOf(request);
        const result =
          body instanceof Readable
            ? await importLines(store, caller, body, lineParser(request), memorySecrets)
            : await importMemories(
                store,
                caller,
                (body as MemoryBatch).memories,
                (memory) => memory,
                memorySecrets,
              );
        return success('Memories imported', result);
      },
    );
  });
};

/** Validates each line by the schema of a memory to remember. */
function lineParser(request: FastifyRequest): MemoryLineParser {
  const validate = request.compileValidationSchema(ref(NewMemory), 'body') as unknown as (
    value: unknown,
  ) => { error?: AppError };
  return (line) => {
    const memory = asGiven(parseJson(line));
    const { error } = validate(memory);
    if (error !== undefined) throw error;
    return memory as NewMemory;
  };
}

function asGiven(value: unknown): unknown {
  if (!isObject(value) || !('reference' in value)) return value;
  const boundary = isObject(value['agent_boundary']) ? value['agent_boundary'] : {};
  const own = Object.entries(value).filter(([key]) => !OF_EXPORT.includes(key));
  return Object.fromEntries([...own, ...Object.entries(boundary)]);
}
