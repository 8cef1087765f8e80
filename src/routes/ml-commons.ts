import { Readable } from 'node:stream';
import type {
  FastifyPluginAsyncTypebox,
  TypeBoxTypeProvider,
} from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import {
  assertMlBody,
  assertMlTools,
  mlToolList,
  registerMlTools,
  removeMlTools,
  updateMlTools,
} from '../catalogue/ml-commons.ts';
import type { SeenStores } from '../http/authentication.ts';
import { assertUtf8Label, parseJson, parseText } from '../http/json-body.ts';
import { wantsPretty } from '../http/pretty.ts';
import { ref } from '../schemas/common.ts';
import * as examples from '../schemas/examples.ts';
import { MlNodes, MlRegistration, MlRemoval, MlToolList, MlUpdate } from '../schemas/ml-commons.ts';
import { operation } from '../schemas/operation.ts';
import type { SeenStore } from '../store/store.ts';

const tags = ['ml-commons'];
const shape = 'opensearch' as const;

/** ml-commons' bodies, answers by node, and OpenSearch's errors. */
export const mlCommonsRoutes: FastifyPluginAsyncTypebox<SeenStores> = async (app, { storeFor }) => {
  const done = ({ nodeId }: SeenStore, what: 'created' | 'updated' | 'removed') => ({
    [nodeId]: { [what]: true },
  });

  app.post(
    '/tools/_register',
    {
      config: { access: 'tools:write', errorShape: shape },
      preValidation: async (request) => assertMlTools(request.body, 'register'),
      schema: operation(
        {
          operationId: 'mlRegisterTools',
          summary: "Register tools in ml-commons' shape",
          description: '`type`, `parameters` and `attributes` are kept apart for `_list`.',
          tags,
        },
        { body: ref(MlRegistration) },
        {
          200: { description: 'Done', schema: ref(MlNodes), example: examples.mlCreated },
        },
      ),
    },
    async (request) => {
      const store = storeFor(request);
      await registerMlTools(store, request.body);
      return done(store, 'created');
    },
  );

  app.post(
    '/tools/_update',
    {
      config: { access: 'tools:write', errorShape: shape },
      preValidation: async (request) => assertMlTools(request.body, 'update'),
      schema: operation(
        {
          operationId: 'mlUpdateTools',
          summary: "Update tools in ml-commons' shape",
          description: 'By name; given fields are replaced whole, all tools or none.',
          tags,
        },
        { body: ref(MlUpdate), errors: ['NotFoundError'] },
        {
          200: { description: 'Done', schema: ref(MlNodes), example: examples.mlUpdated },
        },
      ),
    },
    async (request) => {
      const store = storeFor(request);
      await updateMlTools(store, request.body);
      return done(store, 'updated');
    },
  );

  await app.register(async (scope) => {
    // OpenSearch's JavaScript client sends an array as lines of JSON, a bare name as it stands.
    scope.addContentTypeParser<Buffer>(
      'application/x-ndjson',
      { parseAs: 'buffer' },
      async (request: FastifyRequest, body: Buffer) => {
        assertUtf8Label(request.headers['content-type']);
        return parseLines(body);
      },
    );
    scope.withTypeProvider<TypeBoxTypeProvider>().post(
      '/tools/_remove',
      {
        config: { access: 'tools:write', errorShape: shape },
        preValidation: async (request) => assertMlBody(request.body),
        schema: operation(
          {
            operationId: 'mlRemoveTools',
            summary: 'Remove tools by name',
            description:
              'An array of names, or each on a line of its own; all of them or none are removed.',
            tags,
          },
          {
            body: ref(MlRemoval),
            consumes: ['application/json', 'application/x-ndjson'],
            errors: ['NotFoundError'],
          },
          {
            200: {
              description: 'Done',
              schema: ref(MlNodes),
              example: examples.mlRemoved,
            },
          },
        ),
      },
      async (request) => {
        const store = storeFor(request);
        await removeMlTools(store, request.body);
        return done(store, 'removed');
      },
    );
  });

  app.get(
    '/tools/_list',
    {
      config: { access: 'tools:read', errorShape: shape },
      schema: operation(
        {
          operationId: 'mlListTools',
          summary: "List all tools in ml-commons' shape",
          description: 'Every tool, in name order.',
          tags,
        },
        {},
        { 200: { description: 'All tools', schema: ref(MlToolList), example: examples.mlList } },
      ),
    },
    async (request, reply) => {
      const pieces = mlToolList(storeFor(request));
      reply.type('application/json; charset=utf-8');
      if (!wantsPretty(request)) return reply.send(Readable.from(pieces, { objectMode: false }));
      return reply.send((await Array.fromAsync(pieces)).join(''));
    },
  );
};

/** Lines of JSON, or of bare text, as one array. */
function parseLines(body: Buffer): unknown[] {
  const lines = parseText(body).split('\n');
  return lines
    .filter((line) => line.trim() !== '')
    .flatMap((line) => (/^\s*["[{]/.test(line) ? parseJson(Buffer.from(line)) : line));
}
