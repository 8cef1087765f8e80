import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseExposition, sampleOf } from './exposition.ts';

const head = '# HELP a_total A\n# TYPE a_total counter\n';
const histogram = '# HELP h H\n# TYPE h histogram\n';

test('the parser of the tests reads labels with quotes, braces and commas in them', () => {
  const text = `${head}a_total{b="x\\"},{",c="\\\\"} 1e3\n`;
  const families = parseExposition(text);
  assert.equal(sampleOf(families, 'a_total', { c: '\\\\', b: 'x\\"},{' }), 1_000);
});

test('the parser of the tests refuses what Prometheus would', () => {
  for (const text of [
    `${head}a_total 1`,
    'a_total 1\n',
    `${head}b_total 1\n`,
    `${head}a_total one\n`,
    `${head}a_total{b=c} 1\n`,
    `${head}a_total{b="c"d="e"} 1\n`,
    `${head}a_total{b="c",b="c"} 1\n`,
    `${head}a_total 1\na_total 2\n`,
    `${head}${head}a_total 1\n`,
    '# HELP a A\n# TYPE a counter\na 1\n',
    `${histogram}h_bucket{le="1"} 2\nh_bucket{le="+Inf"} 1\nh_sum 1\nh_count 1\n`,
    `${histogram}h_bucket{le="1"} 1\nh_sum 1\nh_count 1\n`,
    `${histogram}h_bucket{le="+Inf"} 1\nh_sum 1\nh_count 2\n`,
    `${histogram}h_bucket{le="+Inf"} 1\nh_count 1\n`,
  ]) {
    assert.throws(() => parseExposition(text), assert.AssertionError, text);
  }
});
