import type { FastifyReply, FastifyRequest } from 'fastify';

const PATIENCE_MS = 2_000;

/**
 * Answers by `send` when the body that is refused has been read and dropped, or after 2 s, and ends
 * the connection. Whoever answers or closes while a body still flows in may reset the connection:
 * the answer is lost, or a gateway makes a 502 of it (RFC 9112, 9.6).
 */
export function answerAfterBody(
  { raw }: FastifyRequest,
  reply: FastifyReply,
  send: () => void,
): void {
  reply.header('connection', 'close');
  if (raw.readableEnded) {
    send();
    return;
  }
  const timer = setTimeout(answer, PATIENCE_MS);
  raw.once('end', answer).once('close', answer);
  raw.resume();

  function answer(): void {
    clearTimeout(timer);
    raw.off('end', answer).off('close', answer);
    // Without a socket nobody waits for the answer any more.
    if (!raw.readableEnded && raw.socket !== null) closeSlowly(raw.socket);
    send();
  }
}

/** Closes only our side at first, and the other one after a moment. */
function closeSlowly(socket: FastifyRequest['raw']['socket']): void {
  // What Node calls when the last answer of a connection is out.
  socket.destroySoon = () => {
    socket.end();
    setTimeout(() => socket.destroy(), PATIENCE_MS).unref();
  };
}
