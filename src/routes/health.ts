import { Type } from '@sinclair/typebox';
import type { FastifyPluginAsync } from 'fastify';
import { success } from '../http/answers.ts';
import { ErrorAnswer, ref, StringEnum, Success } from '../schemas/common.ts';
import type { Store } from '../store/store.ts';

const HealthAnswer = Success(
  'HealthAnswer',
  Type.Object({ status: StringEnum(['alive', 'ready']) }),
  'Alive',
);
const { $id: _name, ...HealthSchema } = HealthAnswer;

function schema(operationId: string, summary: string, description: string) {
  const media = (value: object) => ({ 'application/json': { schema: value } });
  return {
    operationId,
    summary,
    description,
    tags: ['Health'],
    security: [],
    response: {
      200: { description: 'Yes', content: media(HealthSchema) },
      400: { description: 'Unknown parameter', content: media(ref(ErrorAnswer)) },
      503: { description: 'The store does not answer', content: media(ref(ErrorAnswer)) },
    },
  };
}

/** Probes for whoever keeps the process running; open, and without a word about the catalogue. */
export const healthRoutes: FastifyPluginAsync<{ store: Store }> = async (app, { store }) => {
  app.get(
    '/livez',
    {
      config: { access: 'open' },
      logLevel: 'warn',
      schema: schema('livez', 'Is the process alive', 'Answers as long as the process does.'),
    },
    async () => success('Alive', { status: 'alive' }),
  );
  app.get(
    '/readyz',
    {
      config: { access: 'open' },
      logLevel: 'warn',
      schema: schema('readyz', 'Can it answer requests', 'Asks the store; 503 when that fails.'),
    },
    async () => {
      await store.ping();
      return success('Ready', { status: 'ready' });
    },
  );
};
