import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { BASE } from '../helper.ts';
import { failureOf } from '../http/failure.ts';
import { FAULTS } from './call-faults.ts';
import { heldBytes } from './held-bytes.ts';
import { call, iso, MINUTE_MS, type Recorded, startUsageApp } from './report-calls.ts';

const headers = { 'content-type': 'application/x-ndjson' };
const MIB = 1024 * 1024;

test('lines', async (t) => {
  const { app, store, authorization, inject, newTool, stats, data } = await startUsageApp(t);
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;

  /** Sends lines as one body. */
  const sendLines = (payload: string | Buffer) =>
    inject({ method: 'POST', url: `${BASE}/calls`, headers, payload });

  async function recorded(payload: string | Buffer): Promise<Recorded> {
    const answer = await sendLines(payload);
    assert.ok(answer.statusCode < 300, answer.body);
    return answer.json().data;
  }

  /** A request over a socket whose body is written piece by piece. */
  function openRequest() {
    const sent = request({
      port,
      host: '127.0.0.1',
      method: 'POST',
      path: `${BASE}/calls`,
      headers: { ...headers, authorization, 'transfer-encoding': 'chunked' },
    });
    const answered = once(sent, 'response').then(async ([response]) => {
      let body = '';
      for await (const part of response.setEncoding('utf8')) body += part;
      return { statusCode: response.statusCode as number, headers: response.headers, body };
    });
    answered.catch(() => undefined);
    return { sent, answered };
  }

  await t.test('chunks may end anywhere, also inside of a character or of CR LF', async () => {
    const { name, tool_id } = await newTool();
    const texts = ['ключ 🔑', 'é\u2028ö', 'plain'];
    const lines = texts.map((error, at) =>
      JSON.stringify(call({ name, success: false, error, call_id: `${at}` })),
    );
    const body = Buffer.from(`\r\n${lines.join('\r\n')}\n\n \t\r\n`);
    for (const size of [1, 2, 3, 7, body.length]) {
      const { sent, answered } = openRequest();
      sent.setNoDelay(true);
      for (let at = 0; at < body.length; at += size) sent.write(body.subarray(at, at + size));
      sent.end();
      const { statusCode, body: answer } = await answered;
      assert.equal(statusCode, size === 1 ? 201 : 200, answer);
      const { recorded, duplicate, refused } = JSON.parse(answer).data;
      assert.deepEqual([recorded + duplicate, refused], [3, 0]);
    }
    const { calls } = await data<{ calls: { error: string }[] }>(`/tools/${tool_id}/calls`);
    assert.deepEqual(calls.map(({ error }) => error).toReversed(), texts);
  });

  await t.test('a body without lines is refused as empty', async () => {
    for (const body of ['', '\n', ' \r\n\t\n', '\n\n\n']) {
      const { details } = failureOf(await sendLines(body), 'ValidationError');
      assert.equal(details.field, 'calls', JSON.stringify(body));
    }
  });

  await t.test(
    'wrong lines are refused with what is wrong, good ones beside them land',
    async () => {
      const { name, tool_id } = await newTool();
      const good = JSON.stringify(call({ name }));
      const wrong = [
        ...FAULTS.map(([fault]) => JSON.stringify({ name, ...fault })),
        '{',
        '[]',
        'null',
        '5',
        '{"calls":[]}',
        `${good}${good}`,
        good.replace('10', '1e999'),
        good.replace('{', '{"__proto__":1,'),
        '['.repeat(30_000),
        `${good.slice(0, -1)},"error":"\\ud800"}`,
        `${good.slice(0, -1)},"error":"${'x'.repeat(64 * 1024)}"}`,
        JSON.stringify(call()),
        JSON.stringify(call({ name, tool_id })),
      ];
      const { recorded: count, refused, items } = await recorded([good, ...wrong, good].join('\n'));
      assert.deepEqual([count, refused], [2, wrong.length]);
      assert.deepEqual(
        items.map(({ index, status, reason }) => [index, status, reason]),
        wrong.map((_, at) => [at + 1, 'refused', 'invalid']),
      );
      for (const { index, detail } of items) assert.ok(detail, wrong[index - 1]);
      assert.match(items[0]?.detail ?? '', /execution_time_ms|Execution/);
      const bytes = Buffer.concat([Buffer.from(`${good}\n`), Buffer.from([0xff, 0xfe, 10])]);
      assert.deepEqual((await recorded(bytes)).items, [
        { index: 1, status: 'refused', reason: 'invalid', detail: 'A line must be UTF-8' },
      ]);
      assert.equal((await stats(tool_id)).total_calls, 3);
    },
  );

  await t.test('many wrong lines leave everyone else their turns', async () => {
    let turns = 0;
    let isDone = false;
    const answered = sendLines('x\n'.repeat(30_000)).finally(() => {
      isDone = true;
    });
    const started = performance.now();
    while (!isDone) {
      await new Promise(setImmediate);
      turns += 1;
    }
    failureOf(await answered, 'ValidationError');
    const each = (performance.now() - started) / turns;
    assert.ok(turns > 5 && each < 500, `${turns} turns of ${each} ms`);
  });

  await t.test(
    'the other reasons and duplicates are told by the place among the lines',
    async () => {
      const { name } = await newTool();
      const calls = [
        call({ name, call_id: 'a' }),
        call({ name: 'nobody' }),
        call({ name, timestamp: '2001-01-01T00:00:00Z' }),
        call({ name, call_id: 'a' }),
        call({ name, timestamp: iso(Date.now() + 6 * MINUTE_MS) }),
      ];
      const { items } = await recorded(`\n${calls.map((one) => JSON.stringify(one)).join('\n\n')}`);
      assert.deepEqual(items, [
        { index: 1, status: 'refused', reason: 'unknown_tool' },
        { index: 2, status: 'refused', reason: 'too_old' },
        { index: 3, status: 'duplicate' },
        { index: 4, status: 'refused', reason: 'in_future' },
      ]);
    },
  );

  await t.test(
    'more than 10,000 lines are taken; of those not recorded the first 10,000 are listed',
    async () => {
      const { name, tool_id } = await newTool();
      const body = `${JSON.stringify(call({ name }))}\n{}\n`.repeat(10_050);
      const { recorded: count, refused, items } = await recorded(body);
      assert.deepEqual([count, refused, items.length], [10_050, 10_050, 10_000]);
      assert.deepEqual([items[0]?.index, items.at(-1)?.index], [1, 19_999]);
      assert.equal((await stats(tool_id)).total_calls, 10_050);
    },
  );

  await t.test(
    'behind 64 MiB the answer is 413 and tells what landed, in bounded memory',
    async () => {
      const { name, tool_id } = await newTool();
      const good = `${JSON.stringify(call({ name }))}\n`;
      const blank = Buffer.from(`${' '.repeat(32_767)}\n`.repeat(32));
      const before = heldBytes();
      let highest = before;
      const { sent, answered } = openRequest();
      sent.write(good.repeat(700));
      for (let at = 0; at < 65; at++) {
        if (!sent.write(blank)) await once(sent, 'drain');
        if (at % 8 === 0) highest = Math.max(highest, heldBytes());
      }
      sent.end();
      const { details } = failureOf(await answered, 'PayloadTooLargeError');
      // The last slice was not full yet: those 200 are not there, and nothing claims that they are.
      assert.deepEqual(details, { recorded: 500, duplicate: 0, refused: 0 });
      assert.equal((await stats(tool_id)).total_calls, 500);
      assert.ok(highest - before < 16 * MIB, `${(highest - before) / MIB} MiB more`);
    },
  );

  await t.test('one line of 60 MiB is refused without being kept, the next one lands', async () => {
    const { name } = await newTool();
    const before = heldBytes();
    let highest = before;
    const { sent, answered } = openRequest();
    const part = Buffer.alloc(MIB, 'x');
    for (let at = 0; at < 60; at++) {
      if (!sent.write(part)) await once(sent, 'drain');
      if (at % 8 === 0) highest = Math.max(highest, heldBytes());
    }
    sent.end(`\n${JSON.stringify(call({ name }))}`);
    const { statusCode, body } = await answered;
    assert.equal(statusCode, 201, body);
    assert.deepEqual(JSON.parse(body).data.items, [
      { index: 0, status: 'refused', reason: 'invalid', detail: 'A line has at most 64 KiB' },
    ]);
    assert.ok(highest - before < 16 * MIB, `${(highest - before) / MIB} MiB more`);
  });

  await t.test(
    'of a client that breaks off whole slices are there, and sending again completes them',
    async () => {
      const { name, tool_id } = await newTool();
      const lines = Array.from({ length: 1_800 }, (_, at) =>
        JSON.stringify(call({ name, call_id: `call-${at}` })),
      );
      const { sent, answered } = openRequest();
      sent.write(lines.slice(0, 1_300).join('\n'));
      const landed = async () => (await stats(tool_id)).total_calls;
      while ((await landed()) < 1_000) await new Promise(setImmediate);
      sent.destroy();
      await assert.rejects(answered);
      assert.equal(await landed(), 1_000);
      const { recorded: count, duplicate, items } = await recorded(lines.join('\n'));
      assert.deepEqual([count, duplicate], [800, 1_000]);
      assert.deepEqual([items.length, items.at(-1)], [1_000, { index: 999, status: 'duplicate' }]);
      assert.equal(await landed(), 1_800);
      assert.equal(store.calls.waitingCalls(), 0);
    },
  );
});
