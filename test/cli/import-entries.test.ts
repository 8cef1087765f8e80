import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readEntries } from '../../src/cli/import-entries.ts';

/** Each entry as `place=JSON` or `place: fault`. */
async function entriesOf(text: string): Promise<string[]> {
  async function* input() {
    yield Buffer.from(text);
  }
  const entries: string[] = [];
  for await (const entry of readEntries(input())) {
    entries.push(
      'fault' in entry
        ? `${entry.place}: ${entry.fault}`
        : `${entry.place}=${JSON.stringify(entry.value)}`,
    );
  }
  return entries;
}

for (const [what, text, expected] of [
  ['nothing', '', []],
  ['blank lines', '\n \n', []],
  ['lines', '{"a":1}\n\n{"b":1}\n', ['line 1={"a":1}', 'line 3={"b":1}']],
  ['an array of one line', '[{"a":1}]', ['tool 0={"a":1}']],
  ['an array with one tool a line', '[\n{"a":1}\n]\n', ['tool 0={"a":1}']],
  ['an object over lines', '{\n"a":\n{}\n}\n', ['line 1={"a":{}}']],
  [
    'an answer with line breaks in its list',
    '{"id":1,"result":{"tools":[\n{"a":1}\n]}}',
    ['tool 0={"a":1}'],
  ],
] as const) {
  test(`${what}: each tool object with its place`, async () => {
    assert.deepEqual(await entriesOf(text), expected);
  });
}

for (const [what, text] of [
  ['pretty-printed JSON', JSON.stringify({ tools: [{ a: 1 }, {}] }, null, 2).replace('1', '1 "')],
  ['an array with one tool a line', '[\n{"a":1},\n{"b":1 "c":2},\n{"d":1}\n]\n'],
  ['an object that does not end', '{"tools": [\n{"a":1}\n'],
  ['a text', 'this is\nnot JSON\n'],
] as const) {
  test(`${what} with a mistake is one report, with the parser's words`, async () => {
    const [report = '', ...rest] = await entriesOf(text);
    assert.match(
      report,
      /^the file: It is not JSON: .*(position \d+|end of JSON|Unexpected token)/,
    );
    assert.deepEqual(rest, []);
  });
}

test('a bad first line of JSON Lines does not make the rest wait for the end of the file', async () => {
  async function* input() {
    yield Buffer.from('{"name":\n\n');
    yield Buffer.from('{"a":1}\n{"b":1}\n');
    throw new Error('The end was read');
  }
  async function* truncated() {
    yield Buffer.from('{"name":"x","desc\n\n');
    yield Buffer.from('{"a":1}\n{"b":1}\n');
    throw new Error('The end was read');
  }
  const entries = readEntries(truncated());
  const places: string[] = [];
  await assert.rejects(async () => {
    for await (const { place } of entries) places.push(place);
  }, /The end was read/);
  assert.deepEqual(places, ['line 1', 'line 3', 'line 4']);
  // What may begin a document is read to its end first, and is lines nevertheless.
  await assert.rejects(readEntries(input()).next(), /The end was read/);
  assert.equal((await entriesOf('{"name":\n{"a":1}\n{"b":1}\n')).length, 3);
});
