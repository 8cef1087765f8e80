import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError, validationError } from '../errors.ts';
import { setAnswerHeaders } from './answer-headers.ts';
import { unsupportedMediaType } from './errors.ts';

/** What a form or `fetch` without preflight can send: refused on writes, whatever the body is. */
const FORM_LIKE = /^\s*(application\/x-www-form-urlencoded|multipart\/form-data|text\/plain)/i;

/** Refuses what no honest client sends, before anything else looks at the request. */
export function guardRequest(request: FastifyRequest, reply: FastifyReply): void {
  setAnswerHeaders(request, reply);
  assertOneHost(request.raw);
  if (request.method === 'GET' || request.method === 'HEAD') return;
  const { headers } = request;
  if (FORM_LIKE.test(headers['content-type'] ?? '')) throw unsupportedMediaType();
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new AppError('UnsupportedMediaTypeError', 'Bodies must not be compressed', {
      field: 'Content-Encoding',
      reason: 'Content-Encoding must be left out',
    });
  }
  assertSameOrigin(request);
}

/** RFC 9112, 3.2: one Host, since a gateway may have looked at another one. HTTP/1.0 has none. */
function assertOneHost({ rawHeaders, httpVersion }: FastifyRequest['raw']): void {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  if (hosts > 1 || (hosts === 0 && httpVersion === '1.1')) {
    throw validationError('Invalid headers', [
      { field: 'Host', reason: 'Host must be given once' },
    ]);
  }
}

/** A browser that once learned Basic credentials sends them along from any page. */
function assertSameOrigin({ headers, host, routeOptions }: FastifyRequest): void {
  const { origin } = headers;
  if (origin !== undefined && routeOptions.config.origins?.includes(origin)) return;
  const crossSite = headers['sec-fetch-site'] === 'cross-site';
  if (!crossSite && (origin === undefined || originHost(origin) === host.toLowerCase())) return;
  throw new AppError('AuthorizationError', 'Writes from a foreign origin are refused', {
    field: origin === undefined ? 'Sec-Fetch-Site' : 'Origin',
    reason: 'Origin must be the host of this server, or left out',
  });
}

function originHost(origin: string): string | undefined {
  return /^https?:\/\/([^/]+)$/i.exec(origin)?.[1]?.toLowerCase();
}
