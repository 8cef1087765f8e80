import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { TokenLimits } from '../../src/auth/authorize.ts';
import { narrowedLimits, PATH_PREFIX } from '../../src/auth/token-limits.ts';
import { limitsOf } from '../../src/auth/tokens.ts';
import { allowsName } from '../../src/store/tool-patterns.ts';

const TOO_MUCH = { type: 'AuthorizationError' };

for (const [own, wanted, isTaken] of [
  ['%', 'a/b', true],
  ['a', 'a', true],
  ['a', 'a/%', true],
  ['a/%', 'a', true],
  ['a/%', 'a/b/c', true],
  ['a', 'ab', false],
  ['a/%', 'ab/%', false],
  ['a/b', 'a', false],
  ['a/b', 'a/%', false],
  ['a', '%', false],
] as const) {
  test(`a token for the path ${own} can${isTaken ? '' : 'not'} make one for ${wanted}`, () => {
    for (const [field, key] of [
      ['read_paths', 'readPaths'],
      ['write_paths', 'writePaths'],
    ] as const) {
      const make = () => narrowedLimits({ id: 't', [key]: [own] }, { [field]: [wanted] });
      if (isTaken) assert.deepEqual(make(), { [field]: [wanted] });
      else assert.throws(make, TOO_MUCH);
    }
  });
}

test('what is not asked for is as in the token that makes it, what it has not is free', () => {
  const own = { id: 't', readPaths: ['a'], toolPatterns: ['b*', '!bc*'] };
  assert.deepEqual(narrowedLimits(own, {}), { read_paths: ['a'], tool_patterns: ['b*', '!bc*'] });
  assert.deepEqual(narrowedLimits(own, { write_paths: ['z'] }), {
    read_paths: ['a'],
    write_paths: ['z'],
    tool_patterns: ['b*', '!bc*'],
  });
  assert.deepEqual(narrowedLimits(undefined, { tool_patterns: ['*'] }), { tool_patterns: ['*'] });
});

const glob = fc.string({ unit: fc.constantFrom('a', 'b', '*', '*'), minLength: 1, maxLength: 5 });
const pattern = fc.tuple(fc.constantFrom('', '!'), glob).map((parts) => parts.join(''));
const patterns = fc.array(pattern, { minLength: 1, maxLength: 3 });
const name = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 6 });

test('no line of tokens that make tokens ever sees a tool that the first did not', () => {
  let made = 0;
  fc.assert(
    fc.property(patterns, fc.array(patterns, { maxLength: 3 }), name, (first, others, tool) => {
      let own: TokenLimits = { id: 't', toolPatterns: first };
      for (const wanted of others) {
        try {
          own = limitsOf('t', narrowedLimits(own, { tool_patterns: wanted }));
          made += 1;
        } catch (error) {
          assert.equal((error as { type?: string }).type, 'AuthorizationError');
        }
        const sees = allowsName(own.toolPatterns ?? [], tool);
        assert.ok(!sees || allowsName(first, tool), JSON.stringify([first, own, tool]));
      }
    }),
    { numRuns: 2_000 },
  );
  assert.ok(made > 100);
});

test('paths are whole segments with % at the end only', () => {
  const rule = new RegExp(PATH_PREFIX, 'u');
  for (const path of ['%', 'a', 'a/%', 'projects/x', 'space/team/%', 'a b/ü']) {
    assert.ok(rule.test(path), path);
  }
  for (const path of ['', '/', 'a/', '/a', 'a//b', 'a%', '%/a', 'a/%/b', 'a/b%', 'a\nb', '%%']) {
    assert.ok(!rule.test(path), path);
  }
});
