import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseQueryText } from '../../src/http/query-text.ts';
import { BASE, startApp } from '../helper.ts';
import { startAppWithRoutes } from './declared-routes.ts';
import { failureOf } from './failure.ts';

const SORTS = [
  ...['name', 'created_at', 'updated_at', 'category', 'usage_stats.total_calls'],
  ...['usage_stats.success_rate', 'usage_stats.avg_execution_time_ms'],
];

/** Parameter, what it takes, and some of what it does not. */
const ENUMS: [string, string[], string[]][] = [
  ['sort', SORTS, ['Name', 'NAME', 'id', 'total_calls', 'name,asc', '-name', 'constructor', '*']],
  ['order', ['asc', 'desc'], ['ASC', 'Desc', 'ascending', '1', '-1', 'true']],
  ['status', ['active', 'inactive', 'error'], ['Active', 'removed', 'all', '*', 'toString']],
  ['read_only', ['true', 'false'], ['True', 'TRUE', '1', '0', 'yes', 'on', 'null']],
];

/** Said where no known name is near. */
const KNOWN = `; known are ${[
  ...['size', 'from', 'sort', 'order', 'category', 'status', 'search', 'min_success_rate'],
  ...['tags', 'read_only', 'author', 'server', 'explain', 'pretty', 'human', 'error_trace'],
].join(', ')}`;

const UNKNOWN: [string, string, string][] = [
  ['foo=1', 'foo', KNOWN],
  ['sise=5', 'sise', "; did you mean 'size'?"],
  ['Size=5', 'Size', "; did you mean 'size'?"],
  ['form=5', 'form', "; did you mean 'from'?"],
  ['tag=a', 'tag', "; did you mean 'tags'?"],
  ['tags[]=a', 'tags[]', "; did you mean 'tags'?"],
  ['categroy=a', 'categroy', "; did you mean 'category'?"],
  ['min_sucess_rate=1', 'min_sucess_rate', "; did you mean 'min_success_rate'?"],
  ['prety', 'prety', "; did you mean 'pretty'?"],
  ['q=a', 'q', KNOWN],
  ['injected_query_string=123', 'injected_query_string', KNOWN],
  ['=', '', KNOWN],
  ['?size=5', '?size', "; did you mean 'size'?"],
  ['size;from=1', 'size;from', KNOWN],
  ['__proto__=1', '__proto__', KNOWN],
  ['__proto__[size]=1', '__proto__[size]', KNOWN],
  ['constructor=1', 'constructor', KNOWN],
  ['constructor.prototype=1', 'constructor.prototype', KNOWN],
  ['toString=1', 'toString', KNOWN],
  ['hasOwnProperty', 'hasOwnProperty', KNOWN],
];

/** What no parameter's name or value may hold, and the reason. */
const UNREADABLE: [string, RegExp][] = [
  ['%', /percent-encoding/],
  ['%2', /percent-encoding/],
  ['%zz', /percent-encoding/],
  ['%E0%A4%A', /percent-encoding/],
  ['%FF', /percent-encoding/],
  ['%C0%80', /percent-encoding/],
  ['%F4%90%80%80', /percent-encoding/],
  ['%ED%A0%80', /percent-encoding/],
  ['%ED%A0%BD%ED%B8%80', /percent-encoding/],
  ['a%00b', /U\+0000/],
];

test('query parameters', async (t) => {
  const { get, inject, routes } = await startAppWithRoutes(t);

  for (const [name, values, others] of ENUMS) {
    await t.test(`${name} takes its values exactly`, async () => {
      for (const value of values) {
        assert.equal((await get(`/tools?${name}=${value}`)).statusCode, 200, value);
      }
      for (const value of [...others, `${values[0]}%20`, `%20${values[0]}`, `${values[0]}%0A`]) {
        const { message, details } = failureOf(
          await get(`/tools?${name}=${value}`),
          'ValidationError',
        );
        assert.equal(message, 'Invalid query parameters');
        assert.equal(details.field, name, value);
        const allowed = name === 'read_only' ? 'true or false' : `one of ${values.join(', ')}`;
        assert.ok(details.reason?.includes(`must be ${allowed}`), details.reason);
      }
    });
    await t.test(`${name} must not be blank or repeated`, async () => {
      for (const text of ['', '+', '%20%09', '%E3%80%80']) {
        const { details } = failureOf(await get(`/tools?${name}=${text}`), 'ValidationError');
        assert.match(details.reason ?? '', /must not be blank$/);
      }
      const twice = await get(`/tools?${name}=${values[0]}&${name}=${values[0]}`);
      assert.match(failureOf(twice, 'ValidationError').details.reason ?? '', /must be given once$/);
    });
  }

  await t.test('a text filter must not be repeated, but for tags', async () => {
    for (const name of ['category', 'author', 'server', 'search']) {
      const { details } = failureOf(await get(`/tools?${name}=a&${name}=b`), 'ValidationError');
      assert.equal(details.field, name);
      assert.match(details.reason ?? '', /must be given once$/);
    }
    assert.equal((await get('/tools?tags=a&tags=b')).statusCode, 200);
  });

  await t.test('a text filter is limited in length', async () => {
    for (const [name, limit] of [
      ['category', 256],
      ['author', 256],
      ['server', 256],
      ['tags', 64],
    ] as const) {
      const text = '%F0%9F%98%80'.repeat(limit);
      assert.equal((await get(`/tools?${name}=${text}`)).statusCode, 200);
      const { details } = failureOf(await get(`/tools?${name}=${text}a`), 'ValidationError');
      assert.match(details.reason ?? '', new RegExp(`must have at most ${limit} characters$`));
    }
    const tags = (count: number) => Array.from({ length: count }, () => 'tags=a').join('&');
    assert.equal((await get(`/tools?${tags(64)}`)).statusCode, 200);
    failureOf(await get(`/tools?${tags(65)}`), 'ValidationError');
  });

  await t.test('an unknown parameter is refused, with the nearest known name', async () => {
    for (const [query, field, hint] of UNKNOWN) {
      const { message, details } = failureOf(await get(`/tools?${query}`), 'ValidationError');
      assert.equal(message, 'Invalid query parameters');
      assert.equal(details.field, field);
      assert.ok(details.reason?.endsWith(`is not a parameter here${hint}`), details.reason);
    }
    assert.equal(Object.hasOwn(Object.prototype, 'size'), false);
  });

  await t.test('what is no UTF-8 text is refused in names and values', async () => {
    for (const [text, reason] of UNREADABLE) {
      for (const query of [
        `search=${text}`,
        `category=x${text}`,
        `tags=a&tags=${text}`,
        `pretty=${text}`,
      ]) {
        const { details } = failureOf(await get(`/tools?${query}`), 'ValidationError');
        assert.equal(details.field, query.split('=')[0]);
        assert.match(details.reason ?? '', reason, query);
      }
      const { details } = failureOf(await get(`/tools?x${text}=1`), 'ValidationError');
      assert.equal(details.field, 'query');
      assert.match(details.reason ?? '', reason);
    }
  });

  await t.test('all faults are named when there are several, the first one first', async () => {
    const answer = await get('/tools?size=0&order=up&from=-1&sise=1');
    const { details } = failureOf(answer, 'ValidationError');
    const fields = details.errors?.map(({ field }) => field);
    assert.deepEqual(new Set(fields), new Set(['size', 'order', 'from', 'sise']));
    assert.deepEqual(details.errors?.[0], { field: details.field, reason: details.reason });
  });

  await t.test('of a thousand faults the first hundred are named', async () => {
    const query = Array.from({ length: 1000 }, (_, at) => `x${at}`).join('&');
    const { details } = failureOf(await get(`/tools?${query}`), 'ValidationError');
    assert.equal(details.errors?.length, 100);
  });

  await t.test('a name of 10,000 characters is not repeated whole in the reason', async () => {
    const { details } = failureOf(await get(`/tools?${'a'.repeat(10_000)}=1`), 'ValidationError');
    assert.ok((details.reason?.length ?? 0) < 400, details.reason);
  });

  await t.test("OpenSearch's own parameters are known on every route", async () => {
    let checked = 0;
    for (const { method, url } of routes) {
      const path = url.replace(':tool_id', 'tool-a').replace(':name', 'someone');
      const at = async (query: string) =>
        (await inject({ method: method as 'GET', url: `${path}?${query}` })).statusCode;
      const plain = await at('');
      // Where a body is missing, the query is not looked at.
      if (url.startsWith('/docs') || plain === 400) continue;
      assert.equal(await at('pretty&human=true&error_trace=false'), plain, `${method} ${url}`);
      assert.equal(await at('preety=1'), 400, `${method} ${url}`);
      checked += 1;
    }
    assert.ok(checked >= 20, `${checked} routes`);
  });

  await t.test('plus signs and escapes are decoded as forms are', async () => {
    const searched = async (text: string) =>
      (await get(`/tools?search=${text}`)).json().data.filters_applied.search;
    assert.equal(await searched('a+b'), 'a b');
    assert.equal(await searched('a%20b'), 'a b');
    assert.equal(await searched('a%2Bb'), 'a+b');
    assert.equal(await searched('a%26b%3Dc=d'), 'a&b=c=d');
    assert.equal(await searched('%E5%A4%A9%F0%9F%98%80'), '天😀');
    assert.equal((await get('/tools?&&size=5&')).json().data.pagination.size, 5);
  });

  await t.test('the same holds below the newer base path', async () => {
    const url = `${BASE.replace('_ml', '_agent')}/tools?size=0`;
    const { details } = failureOf(await inject({ method: 'GET', url }), 'ValidationError');
    assert.deepEqual(details, { field: 'size', reason: 'Size must be between 1 and 100' });
  });
});

test('parseQueryText reads back every text that URLSearchParams writes', () => {
  const text = fc.string({ unit: 'binary' }).filter((each) => !each.includes('\0'));
  fc.assert(
    fc.property(fc.array(fc.tuple(text, text)), (pairs) => {
      const { values, fault } = parseQueryText(new URLSearchParams(pairs).toString());
      assert.equal(fault, undefined);
      const expected = new Map<string, string[]>();
      for (const [name, value] of pairs) {
        expected.set(name, [...(expected.get(name) ?? []), value]);
      }
      assert.deepEqual(values, expected);
    }),
  );
});

test('parseQueryText takes any text without throwing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary-ascii', maxLength: 200 }), (text) => {
      const { values, fault } = parseQueryText(text);
      for (const value of [...values.keys(), ...[...values.values()].flat()]) {
        assert.ok(value.isWellFormed() && !value.includes('\0'));
      }
      assert.ok(fault === undefined || fault.reason.length > 0);
    }),
  );
});

test('pretty', async (t) => {
  const { inject, send } = await startApp(t);
  const tools = [{ name: 'sky', description: 'größe 天' }];
  assert.equal((await send('POST', '/tools', { tools })).statusCode, 201);
  const ask = (path: string) => inject({ method: 'GET', url: BASE + path });
  const timeless = (body: string) => body.replace(/"timestamp": ?"[^"]*"/, '');

  for (const path of [
    '/tools',
    '/tools?size=0',
    '/nothing',
    '/tools/_list',
    '/tools/_list?size=1',
    '/whoami',
  ]) {
    await t.test(
      `indents the answer of ${path}, with the same content and its length`,
      async () => {
        const plain = await ask(path);
        for (const flag of ['pretty', 'pretty=true', 'pretty=', 'human&pretty', '%70retty']) {
          const { statusCode, headers, body } = await ask(
            `${path}${path.includes('?') ? '&' : '?'}${flag}`,
          );
          // A name in escapes is the same name, but is not worth a decoding of each request.
          const indented = flag.startsWith('%')
            ? plain.body
            : `${JSON.stringify(JSON.parse(plain.body), null, 2)}\n`;
          assert.equal(timeless(body), timeless(indented), flag);
          assert.equal(statusCode, plain.statusCode);
          // The streamed list has no length; indented it is one piece.
          const isStreamed = path.endsWith('/_list') && indented === plain.body;
          const length = isStreamed ? undefined : String(Buffer.byteLength(body));
          assert.equal(headers['content-length'], length);
          assert.equal(headers['content-type'], plain.headers['content-type']);
        }
      },
    );
  }

  await t.test('does nothing when it is false or the value of something else', async () => {
    for (const query of ['pretty=false', 'search=pretty', 'pretty=1', 'human&error_trace=true']) {
      assert.ok(!(await ask(`/tools?${query}`)).body.includes('\n'), query);
    }
  });

  await t.test('leaves an answer without a body as it is', async () => {
    const { headers } = await ask('/tools?pretty');
    const answer = await inject({
      method: 'GET',
      url: `${BASE}/tools?pretty`,
      headers: { 'if-none-match': String(headers.etag) },
    });
    assert.deepEqual([answer.statusCode, answer.body], [304, '']);
  });

  await t.test('is known to writes', async () => {
    const answer = await inject({
      method: 'POST',
      url: `${BASE}/tools?pretty`,
      payload: { tools: [{ name: 'p', description: '' }] },
    });
    assert.equal(answer.statusCode, 201);
    assert.ok(answer.body.startsWith('{\n  "success": true,\n'));
  });
});
