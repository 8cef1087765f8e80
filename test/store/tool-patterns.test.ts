import assert from 'node:assert/strict';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { allowsName, matchesGlob, nameCondition } from '../../src/store/tool-patterns.ts';

for (const [patterns, allowed, hidden] of [
  [['github__*'], ['github__', 'github__x'], ['github_x', 'GITHUB__x', 'xgithub__x']],
  [['!*__delete_*'], ['a', 'a__delete'], ['a__delete_x', '__delete_']],
  [
    ['a*', '!*z', 'b'],
    ['a', 'ab', 'b'],
    ['az', 'bb', 'z'],
  ],
  [['*.*.*'], ['a.b.c', '..'], ['a.b', '.']],
  [['a*a'], ['aa', 'aba'], ['a', 'ab']],
  [['a.c'], ['a.c'], ['abc']],
  [[], [], ['a']],
] as const) {
  test(`[${patterns}] lets ${allowed} through and not ${hidden}`, () => {
    for (const name of allowed) assert.ok(allowsName(patterns, name), name);
    for (const name of hidden) assert.ok(!allowsName(patterns, name), name);
  });
}

test('the engine and we say the same of every name', () => {
  const db = new Database(':memory:');
  const characters = [...'aB_.-'];
  const name = fc.string({ unit: fc.constantFrom(...characters), minLength: 1, maxLength: 10 });
  const glob = fc.string({ unit: fc.constantFrom(...characters, '*', '*'), minLength: 1 });
  const pattern = fc.tuple(fc.constantFrom('', '!'), glob).map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.array(pattern, { maxLength: 4 }), name, (patterns, text) => {
      const condition = nameCondition('name', patterns);
      const query = db.prepare(`with tools (name) as (select ?) select ${condition} from tools`);
      assert.equal(query.pluck().get(text) === 1, allowsName(patterns, text));
    }),
    { numRuns: 2_000 },
  );
});

test('the worst glob for the longest name costs both next to nothing', () => {
  const db = new Database(':memory:');
  const [glob, name] = [`${'*a'.repeat(63)}*b`, 'a'.repeat(128)];
  const started = performance.now();
  assert.ok(!matchesGlob(glob, name));
  assert.equal(
    db
      .prepare(`select ${nameCondition('?', [glob])}`)
      .pluck()
      .get(name),
    0,
  );
  assert.ok(performance.now() - started < 1_000);
});

test('what is no pattern never becomes part of a statement', () => {
  for (const pattern of ["a'", 'a b', '!!a', '', '!', 'a?', '[a]']) {
    assert.throws(() => nameCondition('name', [pattern]), /Malformed tool pattern/, pattern);
  }
});
