import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { InjectOptions } from 'fastify';
import { ERRORS } from '../../src/errors.ts';
import { BASE } from '../helper.ts';
import { startAppWithRoutes } from './declared-routes.ts';
import { oddRequests } from './odd-requests.ts';

// Requests that nobody foresaw, over all routes that the application really has. A failure prints
// its seed; run it again, or longer, with FUZZ_SEED and FUZZ_RUNS.

const LEAKS =
  /\bat .*\(|node_modules|\.ts:\d|SQLITE|sqlite|no such column|syntax error|FST_|\/tmp\/|toolcrib-test/;

test('no request whatever gets a 5xx, a broken envelope or a word of our insides', async (t) => {
  const { inject, send, routes } = await startAppWithRoutes(t);
  const known = await send('POST', '/tools', {
    tools: [{ name: 'known', description: 'd', input_schema: { type: 'object' } }],
  });
  const { tool_id } = known.json().data.tools[0];
  const seen = new Map<number, number>();

  async function assertAnswered(request: InjectOptions): Promise<void> {
    const url = String(request.url).replace('tool-known', tool_id);
    const { statusCode, headers, body } = await inject({ ...request, url });
    seen.set(statusCode, (seen.get(statusCode) ?? 0) + 1);
    assert.ok(statusCode < 500, body);
    if (statusCode < 400) return;
    assert.doesNotMatch(body.slice(0, 2000), LEAKS);
    // What the protocol itself refuses is of the SDK, which names no charset.
    assert.match(String(headers['content-type']), /^application\/json(; charset=utf-8)?$/);
    if (request.method === 'HEAD') return assert.equal(body, '');
    const answer = JSON.parse(body);
    if (answer.jsonrpc === '2.0') {
      assert.equal(typeof answer.error.code, 'number');
    } else if (typeof answer.status === 'number') {
      assert.equal(answer.status, statusCode);
      assert.deepEqual(Object.keys(answer), ['error', 'status']);
      assert.deepEqual(answer.error.root_cause, [
        { type: answer.error.type, reason: answer.error.reason },
      ]);
    } else {
      assert.deepEqual(Object.keys(answer), ['success', 'error', 'timestamp']);
      assert.equal(ERRORS[answer.error.type as keyof typeof ERRORS].status, statusCode);
    }
  }

  const seed = Number(process.env['FUZZ_SEED'] ?? 20_240_101);
  const numRuns = Number(process.env['FUZZ_RUNS'] ?? 3000);
  await fc.assert(fc.asyncProperty(oddRequests(routes), assertAnswered), { numRuns, seed });

  // Had the requests been refused at the first door, they would have tested only that.
  for (const status of [200, 201, 400, 403, 404, 405, 409, 415]) {
    assert.ok(seen.has(status), `no answer was ${status}: ${JSON.stringify([...seen])}`);
  }
  assert.equal((await inject({ method: 'GET', url: `${BASE}/tools` })).statusCode, 200);
  assert.deepEqual(Object.keys(Object.prototype), []);
});
