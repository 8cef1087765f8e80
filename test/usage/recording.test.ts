import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStore } from '../../src/store/store.ts';
import { recordToolCalls } from '../../src/usage/record-calls.ts';
import { BASE } from '../helper.ts';
import { failureOf } from '../http/failure.ts';
import { FAULTS } from './call-faults.ts';
import {
  call,
  DAY_MS,
  iso,
  MINUTE_MS,
  SECOND_MS,
  type ShownCall,
  startUsageApp,
} from './report-calls.ts';

const SKEW_MS = 5 * MINUTE_MS;
const KEPT_MS = 30 * DAY_MS;

test('recording', async (t) => {
  const { store, inject, send, newTool, record, data, stats } = await startUsageApp(t);

  await t.test(
    'an answer counts its calls and tells of each; 201 when one was new, 200 when none was',
    async () => {
      const one = await newTool();
      const path = `/tools/${one.tool_id}/calls`;
      const first = await send('POST', path, { calls: [call({ call_id: 'a' }), call()] });
      assert.equal(first.statusCode, 201);
      assert.deepEqual(first.json().data, {
        recorded: 2,
        duplicate: 0,
        refused: 0,
        items: [
          { index: 0, status: 'recorded' },
          { index: 1, status: 'recorded' },
        ],
      });
      const again = await send('POST', path, { calls: [call({ call_id: 'a' })] });
      assert.equal(again.statusCode, 200);
      assert.equal(again.json().message, 'All calls had been recorded before');
      assert.deepEqual(again.json().data.items, [{ index: 0, status: 'duplicate' }]);
      const duplicateAndRefused = await send('POST', path, {
        calls: [call({ call_id: 'a' }), call({ timestamp: '2001-01-01T00:00:00Z' })],
      });
      assert.equal(duplicateAndRefused.statusCode, 200);
    },
  );

  await t.test('good calls land beside each kind of refused one', async () => {
    const one = await newTool();
    const two = await newTool();
    const calls = [
      { name: 'nobody', ...call() },
      { tool_id: one.tool_id, ...call() },
      { tool_id: 'tool-0', ...call() },
      { name: one.name, ...call({ timestamp: iso(Date.now() - KEPT_MS - MINUTE_MS) }) },
      { name: two.name, ...call({ timestamp: iso(Date.now() + SKEW_MS + MINUTE_MS) }) },
      { name: two.name, ...call() },
      { name: two.name.toUpperCase(), ...call() },
    ];
    const answer = await send('POST', '/calls', { calls });
    assert.equal(answer.statusCode, 201, answer.body);
    const { recorded, refused, items } = answer.json().data;
    assert.deepEqual([recorded, refused], [2, 5]);
    assert.deepEqual(
      items.map((item: { reason?: string }) => item.reason),
      [
        'unknown_tool',
        undefined,
        'unknown_tool',
        'too_old',
        'in_future',
        undefined,
        'unknown_tool',
      ],
    );
    for (const { tool_id } of [one, two]) {
      assert.equal((await stats(tool_id)).total_calls, 1);
    }
  });

  await t.test('when all are refused the answer is 400 and tells why of each', async () => {
    const one = await newTool();
    const calls = [
      call({ name: 'nobody' }),
      call({ name: one.name, timestamp: '2001-01-01T00:00:00Z' }),
    ];
    const { message, details } = failureOf(
      await send('POST', '/calls', { calls }),
      'ValidationError',
    );
    assert.equal(message, 'All calls were refused');
    assert.deepEqual(details, {
      field: 'calls[0]',
      reason: 'No tool has this tool_id or name',
      recorded: 0,
      duplicate: 0,
      refused: 2,
      items: [
        { index: 0, status: 'refused', reason: 'unknown_tool' },
        { index: 1, status: 'refused', reason: 'too_old' },
      ],
    });
  });

  await t.test(
    'the skew of clocks and the age of a call are limited to the millisecond',
    async (t) => {
      const one = await newTool();
      const now = Date.now();
      t.mock.timers.enable({ apis: ['Date'], now });
      const taken = [now - KEPT_MS, now - KEPT_MS + 1, now, now + SKEW_MS - 1];
      const { recorded } = await record(
        one.tool_id,
        taken.map((ms) => call({ timestamp: iso(ms) })),
      );
      assert.equal(recorded, 4);
      const outcomes = await recordToolCalls(store, 'u', one.tool_id, [
        call({ timestamp: iso(now - KEPT_MS - 1) }),
        call({ timestamp: iso(now + SKEW_MS) }),
        call({ timestamp: iso(now + 10_000 * DAY_MS) }),
      ]);
      assert.deepEqual(
        outcomes.items.map(({ reason }) => reason),
        ['too_old', 'in_future', 'in_future'],
      );
    },
  );

  await t.test(
    'times are taken with any offset and down to nanoseconds, and shown in UTC',
    async () => {
      const one = await newTool();
      const base = Math.floor(Date.now() / SECOND_MS - 600) * SECOND_MS;
      const local = iso(base + 330 * MINUTE_MS).slice(0, 19);
      const texts = [`${iso(base).slice(0, 19)}Z`, `${local}+05:30`, `${local}.123456789+05:30`];
      await record(
        one.tool_id,
        texts.map((timestamp) => call({ timestamp })),
      );
      const { calls } = await data<{ calls: ShownCall[] }>(`/tools/${one.tool_id}/calls`);
      const shown = calls.map(({ timestamp }) => timestamp);
      assert.deepEqual(shown, Array(3).fill(`${iso(base).slice(0, 19)}Z`));
    },
  );

  await t.test(
    'an error is kept without its credentials and cut, an empty one not at all',
    async () => {
      const one = await newTool();
      const errors = [
        '',
        `${'🔑'.repeat(300)}`,
        'refused: password=hunter2',
        `${'x'.repeat(70_000)}`,
      ];
      await record(
        one.tool_id,
        errors.map((error) => call({ success: false, error })),
      );
      const { calls } = await data<{ calls: ShownCall[] }>(`/tools/${one.tool_id}/calls`);
      const shown = calls.map(({ error }) => error).toReversed();
      assert.deepEqual(shown, [
        undefined,
        '🔑'.repeat(200),
        'refused: password=***',
        'x'.repeat(200),
      ]);
    },
  );

  await t.test(
    'a body that breaks the schema is refused as a whole and the field is named',
    async () => {
      const one = await newTool();
      const path = `/tools/${one.tool_id}/calls`;
      for (const [wrong, field] of FAULTS) {
        const answer = await send('POST', path, { calls: [call(), wrong] });
        const { details } = failureOf(answer, 'ValidationError');
        assert.equal(details.field, `calls[1].${field}`, JSON.stringify(wrong).slice(0, 80));
      }
      for (const calls of [[], undefined, {}, 'calls', [null], [[]], Array(10_001).fill(call())]) {
        const { details } = failureOf(await send('POST', path, { calls }), 'ValidationError');
        assert.match(details.field ?? '', /^calls/);
      }
      for (const wrong of [
        call(),
        call({ name: one.name, tool_id: one.tool_id }),
        call({ name: '' }),
      ]) {
        const { details } = failureOf(
          await send('POST', '/calls', { calls: [wrong] }),
          'ValidationError',
        );
        assert.match(details.field ?? '', /^calls\[0\]/);
      }
      assert.equal((await stats(one.tool_id)).total_calls, 0);
    },
  );

  await t.test('numbers that JSON can write but no double can hold are refused', async () => {
    const one = await newTool();
    for (const number of ['1e999', '-1e999', 'NaN', 'Infinity', '01']) {
      const answer = await inject({
        method: 'POST',
        url: `${BASE}/tools/${one.tool_id}/calls`,
        headers: { 'content-type': 'application/json' },
        payload: `{"calls":[{"success":true,"execution_time_ms":${number}}]}`,
      });
      failureOf(answer, 'ValidationError');
    }
  });

  await t.test('the largest report and the longest duration are taken', async () => {
    const one = await newTool();
    const { recorded } = await record(
      one.tool_id,
      Array(10_000).fill(call({ execution_time_ms: 86_400_000 })),
    );
    assert.equal(recorded, 10_000);
    const { total_calls, avg_execution_time_ms } = await stats(one.tool_id);
    assert.deepEqual([total_calls, avg_execution_time_ms], [10_000, 86_400_000]);
  });

  await t.test(
    'an unknown tool is 404 on its own route, other content types are 415, other methods 405',
    async () => {
      const one = await newTool();
      failureOf(await send('POST', '/tools/tool-0/calls', { calls: [call()] }), 'NotFoundError');
      const paths = [`/tools/${one.tool_id}/calls`, '/calls'];
      for (const path of paths) {
        for (const type of ['text/plain', 'application/xml', 'application/json; charset=latin1']) {
          const answer = await inject({
            method: 'POST',
            url: `${BASE}${path}`,
            headers: { 'content-type': type },
            payload: '{"calls":[]}',
          });
          failureOf(answer, 'UnsupportedMediaTypeError');
        }
        const put = await send('PUT', path, {});
        failureOf(put, 'MethodNotAllowedError');
        assert.match(String(put.headers.allow), /POST/);
        const head = await inject({ method: 'HEAD', url: BASE + path });
        assert.deepEqual([head.statusCode, head.payload], [200, '']);
      }
      const lines = await inject({
        method: 'POST',
        url: `${BASE}${paths[0]}`,
        headers: { 'content-type': 'application/x-ndjson' },
        payload: '{}',
      });
      failureOf(lines, 'UnsupportedMediaTypeError');
    },
  );

  await t.test('both base paths record into one catalogue', async () => {
    const one = await newTool();
    for (const base of [BASE, '/_plugins/_agent/mcp']) {
      const headers = { 'content-type': 'application/json' };
      const payload = JSON.stringify({
        calls: [{ tool_id: one.tool_id, ...call({ call_id: 'x' }) }],
      });
      const answer = await inject({ method: 'POST', url: `${base}/calls`, headers, payload });
      assert.equal(answer.statusCode, base === BASE ? 201 : 200);
    }
    assert.equal((await stats(one.tool_id)).total_calls, 1);
  });
});

test('a call_id is one call of a tool, in one report, in the next and after a restart', async (t) => {
  const started = await startUsageApp(t);
  const { store, record, newTool } = started;
  const one = await newTool();
  const two = await newTool();
  const calls = [call({ call_id: 'same' }), call({ call_id: 'same', success: false })];
  assert.deepEqual(
    (await record(one.tool_id, calls)).items.map(({ status }) => status),
    ['recorded', 'duplicate'],
  );
  assert.equal((await record(two.tool_id, calls)).recorded, 1);
  assert.equal((await record(one.tool_id, [call({ call_id: 'SAME' })])).recorded, 1);
  const { file } = store;
  await started.app.close();
  const reopened = openStore(`file:${file}`);
  t.after(() => reopened.close());
  const later = await recordToolCalls(reopened, 'another', one.tool_id, calls);
  assert.equal(later.duplicate, 2);
});
