import { Readable } from 'node:stream';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from '@sinclair/typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { toolNotFound } from '../catalogue/get.ts';
import { AppError, validationError } from '../errors.ts';
import { success } from '../http/answers.ts';
import { callerOf, type SeenStores } from '../http/authentication.ts';
import { parseJson } from '../http/json-body.ts';
import { NDJSON, takeLines } from '../http/ndjson.ts';
import type { Metrics } from '../metrics/metrics.ts';
import {
  BulkCall,
  BulkCallReport,
  CallLines,
  CallReport,
  RecordedCallsAnswer,
} from '../schemas/call.ts';
import { ref } from '../schemas/common.ts';
import * as examples from '../schemas/examples-usage.ts';
import { operation } from '../schemas/operation.ts';
import { ToolId } from '../schemas/tool.ts';
import { type RecordedCalls, recordCalls, recordToolCalls } from '../usage/record-calls.ts';
import { type LineParser, recordLines } from '../usage/record-lines.ts';

const tags = ['Usage'];
const params = Type.Object({ tool_id: ToolId });

const recordedAnswers = {
  200: {
    description: 'All that was taken had been recorded before',
    schema: ref(RecordedCallsAnswer),
    example: examples.duplicates,
  },
  201: {
    description: 'At least one was recorded',
    schema: ref(RecordedCallsAnswer),
    example: examples.recorded,
  },
};

/** Recording calls, of one tool and of many. */
export const callRoutes: FastifyPluginAsyncTypebox<SeenStores & { metrics: Metrics }> = async (
  app,
  { storeFor, metrics },
) => {
  app.post(
    '/tools/:tool_id/calls',
    {
      config: { access: 'usage:write' },
      schema: operation(
        {
          operationId: 'recordToolCalls',
          summary: 'Record calls of one tool',
          description: 'Answered when they are on disk. Good ones land, also beside refused ones.',
          tags,
        },
        { params, body: ref(CallReport), errors: ['NotFoundError'] },
        recordedAnswers,
      ),
    },
    async (request, reply) => {
      const { tool_id } = request.params;
      const store = storeFor(request);
      if ((await store.tools.rowId(tool_id)) === undefined) throw toolNotFound(tool_id);
      const { calls } = request.body;
      return answer(reply, await recordToolCalls(store, callerOf(request).id, tool_id, calls));
    },
  );

  await app.register(async (scope) => {
    takeLines(scope);
    scope.withTypeProvider().post(
      '/calls',
      {
        config: { access: 'usage:write' },
        schema: operation(
          {
            operationId: 'recordCalls',
            summary: 'Record calls of many tools',
            description:
              'Up to 10,000 in a JSON body of at most 4 MiB, or as lines of JSON, one call each, up to 64 MiB; lines are recorded as they arrive. Answered when they are on disk.',
            tags,
          },
          {
            body: {
              content: {
                'application/json': { schema: ref(BulkCallReport) },
                // Each line is validated when its turn comes.
                [NDJSON]: { schema: ref(CallLines) },
              },
            },
          },
          recordedAnswers,
        ),
      },
      async (request, reply) => {
        const store = storeFor(request);
        const reporter = callerOf(request).id;
        if (!(request.body instanceof Readable)) {
          const { calls } = request.body as { calls: BulkCall[] };
          return answer(reply, await recordCalls(store, reporter, calls));
        }
        return answer(
          reply,
          await recordLines(
            store,
            reporter,
            // Destroyed with it, the connection could not bring the answer to what is refused midway.
            request.body.iterator({ destroyOnReturn: false }),
            lineParser(request),
            metrics.refuseInvalid,
          ),
        );
      },
    );
  });
};

/** @throws AppError ValidationError when all calls were refused; what became of each is in its details. */
function answer(reply: FastifyReply, result: RecordedCalls) {
  const { recorded, duplicate, refused } = result;
  if (recorded + duplicate + refused === 0) {
    throw validationError('Invalid request body', [
      { field: 'calls', reason: 'Calls must not be empty' },
    ]);
  }
  if (recorded === 0 && duplicate === 0) {
    const [first] = result.items;
    throw new AppError('ValidationError', 'All calls were refused', {
      field: `calls[${first?.index ?? 0}]`,
      reason: first?.detail ?? REASONS[first?.reason ?? ''] ?? 'It was refused',
      ...result,
    });
  }
  reply.code(recorded > 0 ? 201 : 200);
  const message =
    recorded > 0 ? 'Calls recorded successfully' : 'All calls had been recorded before';
  return success(message, result);
}

const REASONS: Record<string, string> = {
  unknown_tool: 'No tool has this tool_id or name',
  too_old: 'Timestamp must be at most 30 days ago',
  in_future: 'Timestamp must be at most 5 minutes ahead',
};

/** Validates each line by the schema of a call in a report. */
function lineParser(request: FastifyRequest): LineParser {
  const validate = request.compileValidationSchema(ref(BulkCall), 'body') as unknown as (
    value: unknown,
  ) => { error?: AppError };
  return (line) => {
    try {
      const call = parseJson(line);
      const { error } = validate(call);
      if (error !== undefined) throw error;
      return { call: call as BulkCall };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return { detail: String(error.details['reason'] ?? error.message) };
    }
  };
}
