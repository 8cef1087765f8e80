import { test } from 'node:test';
import { findLeaks } from './leaks.ts';

test('tokens with random prefixes see what is theirs, in hits, counts and errors', (t) =>
  findLeaks(t, 1_000));
