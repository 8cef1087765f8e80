import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../../src/errors.ts';
import { createSearchThread } from '../../src/store/search-thread.ts';
import { temporaryFolder } from '../helper.ts';
import { makeStore } from './stores.ts';

const PAGE = { filter: { search: [] }, sort: 'name', order: 'asc', size: 1, from: 0 } as const;

test('a thread that cannot open the store refuses, and a later search starts another', async (t) => {
  const folder = temporaryFolder(t);
  const thread = createSearchThread(`${folder}/none.db`);
  t.after(() => thread.close());
  const refused = (error: unknown) =>
    error instanceof AppError && error.type === 'ServiceUnavailableError';
  await Promise.all([
    assert.rejects(thread.find(PAGE), refused),
    assert.rejects(thread.find(PAGE), refused),
  ]);
  await assert.rejects(thread.find(PAGE), refused);
});

test('searches at once get each their own answer', async (t) => {
  const { store } = makeStore(t);
  const sizes = [1, 2, 3, 4, 5];
  const page = { ...PAGE, filter: { search: [] } };
  const answers = await Promise.all(sizes.map((size) => store.tools.list({ ...page, size })));
  assert.deepEqual(
    answers.map(({ total }) => total),
    sizes.map(() => 0),
  );
});
