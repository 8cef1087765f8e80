import type { FastifyPluginAsync } from 'fastify';
import { success } from '../http/answers.ts';
import { HealthAnswer, ref } from '../schemas/common.ts';
import * as examples from '../schemas/examples.ts';
import { operation } from '../schemas/operation.ts';
import type { Store } from '../store/store.ts';

const tags = ['Service'];

/** Probes for whoever keeps the process running; open, and without a word about the catalogue. */
export const healthRoutes: FastifyPluginAsync<{ store: Store }> = async (app, { store }) => {
  app.get(
    '/livez',
    {
      config: { access: 'open', isProbe: true },
      schema: operation(
        {
          operationId: 'livez',
          summary: 'Is the process alive',
          description: 'Answers as long as the process does.',
          tags,
        },
        {},
        { 200: { description: 'It is', schema: ref(HealthAnswer), example: examples.alive } },
      ),
    },
    async () => success('Alive', { status: 'alive' }),
  );
  app.get(
    '/readyz',
    {
      config: { access: 'open', isProbe: true },
      schema: operation(
        {
          operationId: 'readyz',
          summary: 'Can it answer requests',
          description: 'Asks the store; 503 when that fails.',
          tags,
        },
        {},
        { 200: { description: 'It can', schema: ref(HealthAnswer), example: examples.ready } },
      ),
    },
    async () => {
      await store.ping();
      return success('Ready', { status: 'ready' });
    },
  );
};
