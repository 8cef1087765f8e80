import { test } from 'node:test';
import { findLeaks } from '../memory/leaks.ts';

test('50,000 requests of 200 tokens find nothing that is not theirs', (t) => findLeaks(t, 50_000));
