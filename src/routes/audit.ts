import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from '@sinclair/typebox';
import { exportActs, principalId, shownAct } from '../auth/audit.ts';
import { givenPeriod, givenText } from '../given-filters.ts';
import { success } from '../http/answers.ts';
import { NDJSON, sendLines } from '../http/ndjson.ts';
import { pagination } from '../pagination.ts';
import { Act, AuditAnswer, AuditFilterQuery } from '../schemas/audit.ts';
import { PAGE_FROM, PAGE_SIZE, ref } from '../schemas/common.ts';
import * as examples from '../schemas/examples-access.ts';
import { operation } from '../schemas/operation.ts';
import type { ActFilter } from '../store/audit-acts.ts';
import type { Store } from '../store/store.ts';

const tags = ['Audit'];

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
          pagination: pagination(total, size, from, acts.length),
          filters_applied: {
            principal: givenText(filters.principal) ?? null,
            action: givenText(filters.action) ?? null,
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
      return sendLines(reply, lines);
    },
  );

  async function actFilter({ principal, action, since, until }: AuditFilters): Promise<ActFilter> {
    const [who, what] = [givenText(principal), givenText(action)];
    return {
      ...(who !== undefined && { principal: await principalId(store, who) }),
      ...(what !== undefined && { action: what }),
      ...givenPeriod({ since, until }),
    };
  }
};
