import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from '@sinclair/typebox';
import { actorOf } from '../auth/actor.ts';
import { createToken, ownTokens, revokeToken, shownToken } from '../auth/tokens.ts';
import { validationError } from '../errors.ts';
import { success } from '../http/answers.ts';
import { callerOf } from '../http/authentication.ts';
import { pagination } from '../pagination.ts';
import { parseRfc3339 } from '../rfc3339-time.ts';
import { PAGE_FROM, PAGE_SIZE, ref } from '../schemas/common.ts';
import * as examples from '../schemas/examples-access.ts';
import { operation } from '../schemas/operation.ts';
import {
  CreatedTokenAnswer,
  NewToken,
  TokenAnswer,
  TokenId,
  TokensAnswer,
} from '../schemas/token.ts';
import type { Store } from '../store/store.ts';

const tags = ['Tokens'];
const params = Type.Object({ token_id: TokenId });

/** Tokens: everyone's own, and with the scope admin all. */
export const tokenRoutes: FastifyPluginAsyncTypebox<{ store: Store }> = async (app, { store }) => {
  app.get(
    '/tokens',
    {
      config: { access: 'authenticated' },
      schema: operation(
        {
          operationId: 'listTokens',
          summary: 'List tokens',
          description:
            "One's own, with the scope admin all; of a caller with a token, that one and those it made. The newest first.",
          tags,
        },
        { querystring: Type.Object({ size: PAGE_SIZE, from: PAGE_FROM }) },
        {
          200: {
            description: 'A page of tokens',
            schema: ref(TokensAnswer),
            example: examples.tokens,
          },
        },
      ),
    },
    async (request) => {
      const { size, from } = request.query;
      const { tokens, total } = await store.tokens.list(ownTokens(callerOf(request)), size, from);
      return success('Tokens retrieved successfully', {
        tokens: tokens.map(shownToken),
        pagination: pagination(total, size, from, tokens.length),
      });
    },
  );

  app.post(
    '/tokens',
    {
      config: { access: 'authenticated' },
      schema: operation(
        {
          operationId: 'createToken',
          summary: 'Create a token',
          description:
            'For oneself, with at most what one has. A token may make others, which have no more than it and end with it.',
          tags,
        },
        { body: ref(NewToken), errors: ['ConflictError'] },
        {
          201: {
            description: 'The token, whose text is shown only now',
            schema: ref(CreatedTokenAnswer),
            example: examples.tokenCreated,
          },
        },
      ),
    },
    async (request, reply) => {
      const { expires_at, ...wanted } = request.body;
      const { text, token } = await createToken(store, callerOf(request), {
        ...wanted,
        ...(expires_at !== undefined && { expires_at: expiryOf(expires_at) }),
      });
      reply.code(201);
      return success('Token created successfully', { ...shownToken(token), token: text });
    },
  );

  app.delete(
    '/tokens/:token_id',
    {
      config: { access: 'authenticated' },
      schema: operation(
        {
          operationId: 'revokeToken',
          summary: 'Revoke a token',
          description: 'With all that it made, from the next request on.',
          tags,
        },
        { params, errors: ['NotFoundError'] },
        {
          200: {
            description: 'The revoked token',
            schema: ref(TokenAnswer),
            example: examples.tokenRevoked,
          },
        },
      ),
    },
    async (request) => {
      const caller = callerOf(request);
      const { token_id } = request.params;
      const token = await revokeToken(store, token_id, actorOf(caller), ownTokens(caller));
      return success('Token revoked successfully', shownToken(token));
    },
  );
};

function expiryOf(text: string): number {
  const ms = parseRfc3339(text);
  if (ms !== undefined) return ms;
  throw validationError('Invalid request body', [
    { field: 'expires_at', reason: 'expires_at must be a day that exists' },
  ]);
}
