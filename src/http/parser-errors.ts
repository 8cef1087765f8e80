import { maxHeaderSize } from 'node:http';
import type { Socket } from 'node:net';
import { AppError } from '../errors.ts';
import { failure } from './answers.ts';

const PHRASES: Record<number, string> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
};

/** Answers what Node's HTTP parser refuses, in the same envelope, and ends the connection. */
export function answerParserError(error: { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const known = parserError(error.code);
  const body = JSON.stringify(failure(known));
  socket.end(
    `HTTP/1.1 ${known.status} ${PHRASES[known.status]}\r\n` +
      'Content-Type: application/json; charset=utf-8\r\nCache-Control: no-store\r\n' +
      `X-Content-Type-Options: nosniff\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `Connection: close\r\n\r\n${body}`,
  );
}

function parserError(code: string | undefined): AppError {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new AppError('HeadersTooLargeError', 'The request headers are larger than allowed', {
      field: 'request',
      reason: `Path, query and headers together may have ${maxHeaderSize} bytes`,
    });
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new AppError('RequestTimeoutError', 'The request was not sent completely in time');
  }
  return new AppError('ValidationError', 'Invalid request', {
    field: 'request',
    reason: 'The request is not valid HTTP/1.1',
  });
}
