import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from '@sinclair/typebox';
import { toolNotFound } from '../catalogue/get.ts';
import { wireTime } from '../catalogue/wire-time.ts';
import { givenPeriod, givenText, givenTime } from '../given-filters.ts';
import { success } from '../http/answers.ts';
import type { SeenStores } from '../http/authentication.ts';
import { NDJSON, sendLines } from '../http/ndjson.ts';
import { pagination } from '../pagination.ts';
import {
  CallFilterQuery,
  CallPageAnswer,
  EARLIER,
  GivenTime,
  HistoryCall,
  VoidedCallsAnswer,
} from '../schemas/call.ts';
import { PAGE_FROM, PAGE_SIZE, ref } from '../schemas/common.ts';
import * as examples from '../schemas/examples-usage.ts';
import { operation } from '../schemas/operation.ts';
import { ToolId } from '../schemas/tool.ts';
import type { CallFilter } from '../store/calls.ts';
import { exportCalls, shownCall } from '../usage/call-history.ts';
import { voidReportedCalls } from '../usage/void-calls.ts';

const tags = ['Usage'];
const params = Type.Object({ tool_id: ToolId });

interface CallFilters {
  success?: boolean;
  since?: string;
  until?: string;
  caller?: string;
}

/** The history of calls, and taking back what one reporter sent. */
export const callHistoryRoutes: FastifyPluginAsyncTypebox<SeenStores> = async (
  app,
  { storeFor },
) => {
  app.get(
    '/tools/:tool_id/calls',
    {
      config: { access: 'usage:read' },
      schema: operation(
        {
          operationId: 'listToolCalls',
          summary: "List a tool's calls",
          description: 'The kept calls (30 days), the newest first.',
          tags,
        },
        {
          params,
          querystring: Type.Object({ size: PAGE_SIZE, from: PAGE_FROM, ...CallFilterQuery }),
          errors: ['NotFoundError'],
        },
        {
          200: {
            description: 'A page of calls',
            schema: ref(CallPageAnswer),
            example: examples.history,
          },
        },
      ),
    },
    async (request) => {
      const { size, from, ...filters } = request.query;
      const { tool_id } = request.params;
      const store = storeFor(request);
      const tool = await store.tools.rowId(tool_id);
      if (tool === undefined) throw toolNotFound(tool_id);
      const { calls, total } = await store.calls.list({ tool, ...callFilter(filters) }, size, from);
      const { success: outcome = null, since = null, until = null, caller } = filters;
      return success(
        total === 0 ? 'No calls found matching the criteria' : 'Calls retrieved successfully',
        {
          calls: calls.map(shownCall),
          pagination: pagination(total, size, from, calls.length),
          filters_applied: {
            success: outcome,
            since,
            until,
            caller: givenText(caller) ?? null,
          },
        },
      );
    },
  );

  app.get(
    '/calls',
    {
      config: { access: 'usage:read' },
      schema: operation(
        {
          operationId: 'exportCalls',
          summary: 'Export calls',
          description: `All kept calls that match as lines of JSON (\`${NDJSON}\`), the oldest first, also of removed tools.`,
          tags,
        },
        { querystring: Type.Object(CallFilterQuery) },
        {
          200: {
            description: 'Lines, each as this',
            mediaType: NDJSON,
            schema: ref(HistoryCall),
            example: examples.historyCall,
          },
        },
      ),
    },
    async (request, reply) => {
      const lines = exportCalls(storeFor(request), callFilter(request.query));
      return sendLines(reply, lines);
    },
  );

  app.delete(
    '/calls',
    {
      config: { access: 'admin' },
      schema: operation(
        {
          operationId: 'voidCalls',
          summary: "Void a reporter's calls",
          description:
            'Takes back the kept calls that a user reported in a period: from the history and from every number.',
          tags,
        },
        {
          querystring: Type.Object({
            reporter: Type.String({
              minLength: 1,
              maxLength: 128,
              description: 'Name of the user, or its id when it was removed',
            }),
            since: GivenTime('First moment of the period', EARLIER),
            until: GivenTime('End of the period, not included'),
          }),
        },
        {
          200: {
            description: 'How many were voided',
            schema: ref(VoidedCallsAnswer),
            example: examples.voided,
          },
        },
      ),
    },
    async (request) => {
      const { reporter } = request.query;
      const since = givenTime('since', request.query.since) ?? 0;
      const until = givenTime('until', request.query.until) ?? 0;
      const voided = await voidReportedCalls(storeFor(request), { reporter, since, until });
      return success('Calls voided successfully', {
        reporter,
        since: wireTime(since),
        until: wireTime(until),
        voided,
      });
    },
  );
};

function callFilter({ success, since, until, caller }: CallFilters): CallFilter {
  const who = givenText(caller);
  return {
    ...(success !== undefined && { success }),
    ...givenPeriod({ since, until }),
    ...(who !== undefined && { caller: who }),
  };
}
