import assert from 'node:assert/strict';
import { test } from 'node:test';
import { suggestion } from '../src/nearest.ts';

const PARAMETERS = ['size', 'from', 'sort', 'min_success_rate'];
const SETTINGS = ['TOOLCRIB_HOST', 'TOOLCRIB_PORT', 'TOOLCRIB_LOG_LEVEL'];

for (const [name, known, expected] of [
  ['sise', PARAMETERS, 'size'],
  ['Size', PARAMETERS, 'size'],
  ['size[]', PARAMETERS, 'size'],
  ['form', PARAMETERS, 'from'],
  ['frmo', PARAMETERS, 'from'],
  ['min_sucess_rat', PARAMETERS, 'min_success_rate'],
  ['foo', PARAMETERS, undefined],
  ['morf', PARAMETERS, undefined],
  ['q', PARAMETERS, undefined],
  ['', PARAMETERS, undefined],
  ['min_rate', PARAMETERS, undefined],
  ['s'.repeat(65), ['s'.repeat(64)], undefined],
  ['size', [], undefined],
  ['TOOLCRIB_PROT', SETTINGS, 'TOOLCRIB_PORT'],
  ['TOOLCRIB_LOGLEVEL', SETTINGS, 'TOOLCRIB_LOG_LEVEL'],
  ['TOOLCRIB_XYZ', SETTINGS, undefined],
  ['TOOLCRIB_TEST', SETTINGS, undefined],
  ['TOOLCRIB_', SETTINGS, undefined],
] as const) {
  test(`near '${name.slice(0, 20)}' is ${expected ?? 'nothing'}`, () => {
    const hint = expected === undefined ? '' : `; did you mean '${expected}'?`;
    assert.equal(suggestion(name, known, 'TOOLCRIB_'), hint);
  });
}
