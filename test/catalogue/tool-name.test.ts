import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  categoryOf,
  createPrefixer,
  newToolId,
  TOOL_ID,
  TOOL_NAME,
} from '../../src/catalogue/tool-name.ts';

test('TOOL_NAME takes 1 to 128 letters, digits, underscores, dots and dashes', () => {
  for (const name of ['a', 'get_user', 'memory.show', 'A-1', '_', 'x'.repeat(128)]) {
    assert.match(name, TOOL_NAME);
  }
  for (const name of ['', 'a b', 'a/b', 'größe', 'a\n', 'x'.repeat(129)]) {
    assert.doesNotMatch(name, TOOL_NAME);
  }
});

test('TOOL_ID takes tool- and 1 to 64 lower-case letters and digits', () => {
  for (const id of ['tool-abc123', 'tool-a', `tool-${'9'.repeat(64)}`]) assert.match(id, TOOL_ID);
  for (const id of [
    'tool-',
    'abc123',
    'tool-ABC',
    'tool-a-b',
    'tool-a\n',
    `tool-${'9'.repeat(65)}`,
  ]) {
    assert.doesNotMatch(id, TOOL_ID);
  }
});

test('newToolId gives ids of 20 characters, unique in 100,000, every character as often', () => {
  const ids = Array.from({ length: 100_000 }, newToolId);
  assert.equal(new Set(ids).size, ids.length);
  const counts = new Map<string, number>();
  for (const id of ids) {
    assert.match(id, TOOL_ID);
    assert.equal(id.length, 'tool-'.length + 20);
    for (const character of id.slice(5)) counts.set(character, (counts.get(character) ?? 0) + 1);
  }
  // 55,556 of each are expected, the standard deviation is 232: nine of them are beyond chance.
  const expected = (ids.length * 20) / 36;
  assert.equal(counts.size, 36);
  for (const count of counts.values()) assert.ok(Math.abs(count - expected) < 2100);
});

const slugs: [string, string][] = [
  ['GitHub', 'GitHub__t'],
  ['io.github/acme', 'io.github-acme__t'],
  ['my_server  (v2)', 'my-server-v2__t'],
  ['--a--b--', 'a--b__t'],
  ['天気', 'server__t'],
  ['', 'server__t'],
  ['---', 'server__t'],
];

for (const [server, expected] of slugs) {
  test(`a prefixer makes ${expected} of the server ${JSON.stringify(server)}`, () => {
    assert.equal(createPrefixer()(server, 't'), expected);
  });
}

test('a prefixer numbers servers of the same slug in input order, and remembers them', () => {
  const prefix = createPrefixer();
  const servers = ['a b', 'a/b', 'a_b', 'a b', 'a/b'];
  assert.deepEqual(
    servers.map((server) => prefix(server, 't')),
    ['a-b__t', 'a-b-2__t', 'a-b-3__t', 'a-b__t', 'a-b-2__t'],
  );
});

test('a numbered slug never meets the real slug of another server', () => {
  const before = createPrefixer();
  assert.deepEqual(
    ['a-2', 'a', 'a/'].map((server) => before(server, 't')),
    ['a-2__t', 'a__t', 'a-3__t'],
  );
  const after = createPrefixer();
  assert.deepEqual(
    ['a', 'a/', 'a-2'].map((server) => after(server, 't')),
    ['a__t', 'a-2__t', 'a-2-2__t'],
  );
});

test('prefixers do not know of each other', () => {
  createPrefixer()('a b', 't');
  assert.equal(createPrefixer()('a/b', 't'), 'a-b__t');
});

test('a name of 128 characters stays whole, a longer one is cut and gets a hash', () => {
  const prefix = createPrefixer();
  assert.equal(prefix('srv', 'x'.repeat(123)), `srv__${'x'.repeat(123)}`);
  const long = prefix('srv', 'x'.repeat(124));
  assert.match(long, /^srv__x{114}_[a-z0-9]{8}$/);
  assert.equal(long, createPrefixer()('srv', 'x'.repeat(124)));
  assert.notEqual(long, prefix('srv', 'x'.repeat(125)));
});

test('a server name longer than a tool name still tells its tools apart', () => {
  const prefix = createPrefixer();
  const names = ['a', 'b'].map((name) => prefix('s'.repeat(500), name));
  assert.notEqual(names[0], names[1]);
  for (const name of names) assert.match(name, /^s{119}_[a-z0-9]{8}$/);
});

/** Servers that often share a slug, and tool names that often share a long beginning. */
const servers = fc.oneof(
  fc
    .array(fc.constantFrom('a', 'A', '-', '2', '_', '/', '.', '天'), { maxLength: 6 })
    .map((c) => c.join('')),
  fc.string(),
  fc.integer({ min: 100, max: 140 }).map((length) => 's'.repeat(length)),
);
const names = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9_.-]{1,12}$/),
  fc.integer({ min: 100, max: 128 }).map((length) => '_'.repeat(length)),
);
const pairs = fc.array(fc.tuple(servers, names), { minLength: 1, maxLength: 60 });

test('prefixed names are valid, differ for different pairs, and come out the same again', () => {
  fc.assert(
    fc.property(pairs, (input) => {
      const prefix = createPrefixer();
      const pairOf = new Map<string, string>();
      for (const [server, name] of input) {
        const prefixed = prefix(server, name);
        assert.match(prefixed, TOOL_NAME);
        const pair = JSON.stringify([server, name]);
        assert.equal(pairOf.get(prefixed) ?? pair, pair);
        pairOf.set(prefixed, pair);
      }
      const again = createPrefixer();
      const repeated = input.map(([server, name]) => again(server, name));
      assert.deepEqual(
        repeated,
        input.map(([server, name]) => prefix(server, name)),
      );
    }),
    { numRuns: 500 },
  );
});

const categories: [string, string | undefined, string | undefined][] = [
  ['memory.show', 'xmemo', 'memory'],
  ['a.b.c', undefined, 'b'],
  ['show', 'xmemo', 'xmemo'],
  ['show', undefined, undefined],
  ['show', '', undefined],
  ['.show', 'xmemo', 'xmemo'],
  ['memory.', 'xmemo', 'memory'],
];

for (const [name, server, expected] of categories) {
  test(`categoryOf gives ${expected} for ${name} of the server ${JSON.stringify(server)}`, () => {
    assert.equal(categoryOf(name, server), expected);
  });
}
