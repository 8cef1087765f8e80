import type { FastifyReply, FastifyRequest } from 'fastify';

const LINGER_MS = 2_000;

/**
 * Ends the connection after this answer, and drops for a moment what is still flowing in: closing
 * at once would reset it, so that the answer may be lost and a gateway makes a 502 of it
 * (RFC 9112, 9.6).
 */
export function closeLingering({ raw }: FastifyRequest, reply: FastifyReply): void {
  const { socket } = raw;
  reply.header('connection', 'close');
  raw.resume();
  // What Node calls when the last answer of a connection is out.
  socket.destroySoon = () => {
    socket.end();
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  };
}
