// The yardstick: a bare Fastify with the server's logger and its one line a request, which answers
// with ready-made bytes. Arguments: port, and a JSON file with the bodies.
import { readFileSync } from 'node:fs';
import Fastify, { LogController } from 'fastify';
import { createLogger } from '../src/logger.ts';
import { BASE } from './requests.ts';

const [port, file = ''] = process.argv.slice(2);
const bodies: Partial<Record<'hot' | 'page' | 'tool' | 'recorded', string>> = JSON.parse(
  readFileSync(file, 'utf8'),
);

const app = Fastify({
  loggerInstance: createLogger('info'),
  logController: new LogController({ disableRequestLogging: true }),
  keepAliveTimeout: 90_000,
});

app.addHook('onResponse', async (request, reply) => {
  request.log.info({
    method: request.method,
    path: request.url.split('?', 1)[0],
    status: reply.statusCode,
    ms: Math.round(reply.elapsedTime * 100) / 100,
    address: request.ip,
    user: 'bench',
  });
});

const headers = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  etag: 'W/"201.1"',
  'content-type': 'application/json; charset=utf-8',
};

app.get('/readyz', async () => ({ success: true }));
app.get(`${BASE}/tools`, (request, reply) => {
  reply.headers(headers).header('x-request-id', request.id);
  reply.send(request.url.includes('?') ? bodies.page : bodies.hot);
});
app.get(`${BASE}/tools/:tool_id`, (request, reply) => {
  reply.headers(headers).header('x-request-id', request.id).send(bodies.tool);
});

app.post(`${BASE}/tools/:tool_id/calls`, (request, reply) => {
  reply.headers(headers).header('x-request-id', request.id).code(201).send(bodies.recorded);
});

process.on('SIGTERM', () => app.close());
await app.listen({ host: '127.0.0.1', port: Number(port) });
