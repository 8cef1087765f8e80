import { Type } from '@sinclair/typebox';
import type { FastifyPluginAsync } from 'fastify';
import type { Config } from '../config.ts';
import type { Metrics } from '../metrics/metrics.ts';
import * as examples from '../schemas/examples.ts';
import { operation } from '../schemas/operation.ts';

/** What Prometheus scrapes. */
export const metricsRoutes: FastifyPluginAsync<{ config: Config; metrics: Metrics }> = async (
  app,
  { config, metrics },
) => {
  app.get(
    '/metrics',
    {
      config: { access: config.openMetrics ? 'open' : 'admin', isProbe: true },
      schema: operation(
        {
          operationId: 'getMetrics',
          summary: 'Metrics for Prometheus',
          description:
            'Text format 0.0.4; docs/reference.md has the names. Open when the setting TOOLCRIB_METRICS_OPEN is true.',
          tags: ['Service'],
        },
        {},
        {
          200: {
            description: 'The metrics',
            mediaType: 'text/plain',
            schema: Type.String(),
            example: examples.metrics,
          },
        },
      ),
    },
    async (_request, reply) => {
      reply.type(metrics.contentType);
      return metrics.text();
    },
  );
};
