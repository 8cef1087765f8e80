import { Readable } from 'node:stream';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from '@sinclair/typebox';
import { exportActs, principalId, shownAct } from '../auth/audit.ts';
import { success } from '../http/answers.ts';
import { Act, AuditAnswer, AuditFilterQuery } from '../schemas/audit.ts';
import { PAGE_FROM, PAGE_SIZE, ref } from '../schemas/common.ts';
import * as examples from '../schemas/examples-access.ts';
import { operation } from '../schemas/operation.ts';
import type { ActFilter } from '../store/audit-acts.ts';
import type { Store } from '../store/store.ts';
import { timeOf } from '../usage/usage-report.ts';

const tags = ['Audit'];
const NDJSON = 'application/x-ndjson';

interface AuditFilters {
  principal?: string;
  action?: string;
  since?: string;
  until?: string;
}

/** The audit log, for admins. */
export const auditRoutes: FastifyPluginAsyncTypebox<{ store: Store }> = async (app, { store }) => {
  app.get(
    '/audit',
    {
      config: { access: 'admin' },
      schema: operation(
        {
          operationId: 'listAudit',
          summary: 'List acts',
          description:
            'Changes of users, tokens and memories, the newest first: who, what and when, never content.',
          tags,
        },
        {
          querystring: Type.Object({ size: PAGE_SIZE, from: PAGE_FROM, ...AuditFilterQuery }),
        },
        {
          200: { description: 'A page of acts', schema: ref(AuditAnswer), example: examples.acts },
        },
      ),
    },
    async (request) => {
      const { size, from, ...filters } = request.query;
      const { acts, total } = await store.acts.list(await actFilter(filters), size, from);
      const { since = null, until = null } = filters;
      return success(
        total === 0 ? 'No acts found matching the criteria' : 'Acts retrieved successfully',
        {
          acts: acts.map(shownAct),
          pagination: { total, size, from, has_more: from + acts.length < total },
          filters_applied: {
            principal: given(filters.principal) ?? null,
            action: given(filters.action) ?? null,
            since,
            until,
          },
        },
      );
    },
  );

  app.get(
    '/audit/export',
    {
      config: { access: 'admin' },
      schema: operation(
        {
          operationId: 'exportAudit',
          summary: 'Export acts',
          description: `All acts that match as lines of JSON (\`${NDJSON}\`), the oldest first.`,
          tags,
        },
        { querystring: Type.Object(AuditFilterQuery) },
        {
          200: {
            description: 'Lines, each as this',
            mediaType: NDJSON,
            schema: ref(Act),
            example: examples.act,
          },
        },
      ),
    },
    async (request, reply) => {
      const lines = exportActs(store, await actFilter(request.query));
      return reply.type(NDJSON).send(Readable.from(lines, { objectMode: false }));
    },
  );

  async function actFilter({ principal, action, since, until }: AuditFilters): Promise<ActFilter> {
    const [who, what] = [given(principal), given(action)];
    const [from, before] = [timeOf('since', since), timeOf('until', until)];
    return {
      ...(who !== undefined && { principal: await principalId(store, who) }),
      ...(what !== undefined && { action: what }),
      ...(from !== undefined && { since: from }),
      ...(before !== undefined && { until: before }),
    };
  }
};

/** A blank filter is not applied. */
function given(text: string | undefined): string | undefined {
  return text?.trim() ? text : undefined;
}
