import type { FastifyReply, FastifyRequest } from 'fastify';

/** What every answer carries, also one to a request that no hook ever saw. */
export function setAnswerHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('cache-control', 'no-store');
  reply.header('x-content-type-options', 'nosniff');
  reply.header('x-request-id', request.id);
}
