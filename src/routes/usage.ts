import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from '@sinclair/typebox';
import { success } from '../http/answers.ts';
import type { SeenStores } from '../http/authentication.ts';
import { ref } from '../schemas/common.ts';
import * as examples from '../schemas/examples-usage.ts';
import { operation } from '../schemas/operation.ts';
import { ToolId } from '../schemas/tool.ts';
import {
  CatalogueUsageAnswer,
  CatalogueUsageQuery,
  PeriodQuery,
  ToolUsageAnswer,
} from '../schemas/usage.ts';
import { catalogueUsage } from '../usage/catalogue-usage.ts';
import { toolUsage } from '../usage/usage-report.ts';

const tags = ['Usage'];
const RETRIEVED = 'Usage retrieved successfully';

/** Calls over time, of one tool and of the catalogue. */
export const usageRoutes: FastifyPluginAsyncTypebox<SeenStores> = async (app, { storeFor }) => {
  app.get(
    '/tools/:tool_id/usage',
    {
      config: { access: 'tools:read' },
      schema: operation(
        {
          operationId: 'getToolUsage',
          summary: "A tool's calls over time",
          description: 'Calls, successes, durations and errors by minute, hour or day.',
          tags,
        },
        {
          params: Type.Object({ tool_id: ToolId }),
          querystring: Type.Object(PeriodQuery),
          errors: ['NotFoundError'],
        },
        {
          200: {
            description: 'The series',
            schema: ref(ToolUsageAnswer),
            example: examples.toolUsage,
          },
        },
      ),
    },
    async (request) =>
      success(RETRIEVED, await toolUsage(storeFor(request), request.params.tool_id, request.query)),
  );

  app.get(
    '/usage',
    {
      config: { access: 'tools:read' },
      schema: operation(
        {
          operationId: 'getUsage',
          summary: "The catalogue's calls over time",
          description:
            'Of all tools, removed ones too; with the most used, the failing and the never used tools.',
          tags,
        },
        { querystring: CatalogueUsageQuery },
        {
          200: {
            description: 'The series and the lists',
            schema: ref(CatalogueUsageAnswer),
            example: examples.catalogueUsage,
          },
        },
      ),
    },
    async (request) => success(RETRIEVED, await catalogueUsage(storeFor(request), request.query)),
  );
};
