import pino, { type Logger } from 'pino';

/**
 * JSON lines on stdout, readable text on a terminal. Requests are logged without headers, bodies
 * and query strings; what could still carry a secret is redacted.
 */
export function createLogger(level: string): Logger {
  const options = {
    level,
    redact: {
      paths: ['authorization', 'password', 'headers', 'req.headers', 'body'],
      censor: '[redacted]',
    },
  };
  if (!process.stdout.isTTY) return pino(options);
  return pino({ ...options, transport: { target: 'pino-pretty' } });
}
