import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BASE, startApp } from '../helper.ts';
import { failureOf } from './failure.ts';

/** No number to anyone, or one only to a lenient reader; as they stand in a URL. */
const NEVER = [
  ...['', '%20', '+', '%09', '%0A', '%C2%A0', '%E3%80%80', '%EF%BB%BF'],
  ...['%2B10', '-10', '-0', '-1', '--1', '%E2%88%921', '10-'],
  ...['%2010', '10%20', '+10+', '10%0A', '%EF%BB%BF10', '1%200', '1%2C000', '1_0', '1%270'],
  ...['010', '00', '0010', '00.5', '0x10', '0X10', '0b11', '0o17', '10n', '10f', '%2310'],
  ...['1e2', '1E2', '1e%2B2', '1e-2', '1e400', '1e', 'e1', '.5', '5.', '.', '1.2.3', '1..2'],
  ...['Infinity', '-Infinity', 'infinity', 'inf', 'NaN', 'nan', 'null', 'undefined', 'None'],
  ...['true', 'false', 'ten', 'a', '[]', '[10]', '{}', '%2210%22', '10;', '10%26', '%25', '$1'],
  ...['%D9%A5', '%EF%BC%95', '%EF%BC%91%EF%BC%90', '%C2%B2', '%C2%BD', '%E2%85%A4', '%F0%9D%9F%8F'],
];

interface Parameter {
  name: string;
  reason: RegExp;
  accepted: [string, number][];
  refused: string[];
}

const FRACTIONS = ['0.5', '10.0', '1.0', '0.0'];
const HUGE = ['9007199254740993', '18446744073709551616', '9'.repeat(400)];

const SIZE: Parameter = {
  name: 'size',
  reason:
    /^Size must (be between 1 and 100|be a plain decimal integer between 1 and 100|not be blank)$/,
  accepted: [1, 2, 9, 10, 11, 99, 100].map((value) => [String(value), value]),
  refused: [...FRACTIONS, ...HUGE, '0', '101', '1000', '4294967297'],
};
const FROM: Parameter = {
  name: 'from',
  reason:
    /^From must (be between 0 and 2147483647|be a plain decimal integer between 0 and 2147483647|not be blank)$/,
  accepted: [0, 1, 10, 300, 2 ** 31 - 1].map((value) => [String(value), value]),
  refused: [...FRACTIONS, ...HUGE, '2147483648', '4294967296'],
};
const RATE: Parameter = {
  name: 'min_success_rate',
  reason:
    /^Min success rate must (be between 0 and 1|be a plain decimal number between 0 and 1 with at most 6 digits after the point|not be blank)$/,
  accepted: [
    ['0', 0],
    ['1', 1],
    ['0.0', 0],
    ['1.0', 1],
    ['1.000000', 1],
    ['0.5', 0.5],
    ['0.95', 0.95],
    ['0.123456', 0.123456],
    ['0.000001', 0.000001],
  ],
  refused: [...HUGE, '2', '10', '1.1', '1.000001', '0.1234567', '0.0000000', '10.0', '0.5.', '0,5'],
};

test('numbers in a query', async (t) => {
  const { get, send, inject } = await startApp(t);
  const registered = await send('POST', '/tools', { tools: [{ name: 'a', description: '' }] });
  const id: string = registered.json().data.tools[0].tool_id;
  const places: [string, Parameter[]][] = [
    ['/tools', [SIZE, FROM, RATE]],
    [`/tools/${id}/versions`, [SIZE, FROM]],
  ];
  for (const [path, parameters] of places) {
    for (const { name, reason, accepted, refused } of parameters) {
      const place = `${name} of ${path.replace(id, '{tool_id}')}`;
      await t.test(`${place} is a plain decimal in its range`, async () => {
        for (const [text, value] of accepted) {
          const answer = await get(`${path}?${name}=${text}`);
          assert.equal(answer.statusCode, 200, text);
          const { pagination, filters_applied } = answer.json().data;
          assert.equal({ ...pagination, ...filters_applied }[name], value);
        }
      });
      await t.test(`${place} is refused in any other spelling`, async () => {
        for (const text of new Set([...NEVER, ...refused])) {
          const answer = await get(`${path}?${name}=${text}`);
          const { message, details } = failureOf(answer, 'ValidationError');
          assert.equal(message, 'Invalid query parameters', text);
          assert.deepEqual(Object.keys(details), ['field', 'reason'], text);
          assert.equal(details.field, name, text);
          assert.match(details.reason ?? '', reason, text);
        }
      });
    }
  }

  await t.test('a number that is given twice is refused by its name', async () => {
    for (const name of ['size', 'from', 'min_success_rate']) {
      for (const query of [`${name}=1&${name}=1`, `${name}=1&${name}=`, `${name}&${name}`]) {
        const { details } = failureOf(await get(`/tools?${query}`), 'ValidationError');
        assert.equal(details.field, name);
        assert.match(details.reason ?? '', /must be given once$/);
      }
    }
  });

  await t.test('a number that is given as a list is an unknown parameter', async () => {
    for (const name of ['size', 'from', 'min_success_rate']) {
      for (const suffix of ['[]', '%5B%5D']) {
        const { details } = failureOf(await get(`/tools?${name}${suffix}=1`), 'ValidationError');
        assert.equal(details.field, `${name}${decodeURIComponent(suffix)}`);
        const reason = `is not a parameter here; did you mean '${name}'?`;
        assert.ok(details.reason?.endsWith(reason), details.reason);
      }
    }
  });

  await t.test("Lucenia's words name a size out of range", async () => {
    for (const size of ['0', '101', '9'.repeat(400)]) {
      const { message, details } = failureOf(await get(`/tools?size=${size}`), 'ValidationError');
      assert.equal(message, 'Invalid query parameters');
      assert.deepEqual(details, { field: 'size', reason: 'Size must be between 1 and 100' });
    }
  });

  await t.test('what is no number is told the range too', async () => {
    for (const [query, reason] of [
      ['size=abc', 'Size must be a plain decimal integer between 1 and 100'],
      ['from=-1', 'From must be a plain decimal integer between 0 and 2147483647'],
    ] as const) {
      assert.equal(
        failureOf(await get(`/tools?${query}`), 'ValidationError').details.reason,
        reason,
      );
    }
  });

  await t.test('the document says integer, with the bounds and defaults that hold', async () => {
    const document = (await inject({ method: 'GET', url: '/openapi.json' })).json();
    const { parameters } = document.paths[`${BASE}/tools`].get;
    const schema = (wanted: string) => {
      const found = parameters.find((each: { name: string }) => each.name === wanted);
      const { type, minimum, maximum, default: value } = found.schema;
      return [type, minimum, maximum, value];
    };
    assert.deepEqual(schema('size'), ['integer', 1, 100, 10]);
    assert.deepEqual(schema('from'), ['integer', 0, 2 ** 31 - 1, 0]);
    assert.deepEqual(schema('min_success_rate'), ['number', 0, 1, undefined]);
  });
});
