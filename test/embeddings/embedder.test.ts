import assert from 'node:assert/strict';
import { test } from 'node:test';
import { registerTools } from '../../src/catalogue/register.ts';
import { createEmbedder, endpointOf } from '../../src/embeddings/embedder.ts';
import { startApp } from '../helper.ts';
import { type Endpoint, startEndpoint } from './endpoint.ts';

const TOOLS = [
  { name: 'feed', description: 'Gives food to a kitten' },
  { name: 'walk', description: 'Takes the canine out' },
  { name: 'sail', description: 'Steers a vessel' },
  { name: 'cat_counter', description: 'Adds up numbers of anything' },
];

async function start(t: Parameters<typeof startApp>[0]) {
  const endpoint = await startEndpoint(t);
  const faults: string[] = [];
  const settings = {
    TOOLCRIB_EMBEDDINGS_URL: endpoint.url,
    TOOLCRIB_EMBEDDINGS_MODEL: 'counting',
    TOOLCRIB_EMBEDDINGS_API_KEY: 'a-key',
  };
  const app = await startApp(t, settings, ({ config, store }) => {
    const named = endpointOf(config);
    assert.ok(named);
    const embedder = createEmbedder(named, store, (fault) => faults.push(fault));
    t.after(() => embedder.stop());
    return embedder;
  });
  const { embedder } = app;
  assert.ok(embedder);
  await registerTools(app.store, TOOLS);
  const search = async (text: string, rest = '') => {
    const path = `/tools?sort=relevance&search=${encodeURIComponent(text)}${rest}`;
    const { data } = (await app.get(path)).json();
    const names = data.tools.map(({ name }: { name: string }) => name);
    return { names, search: data.search, total: data.pagination.total, tools: data.tools };
  };
  return { ...app, embedder, endpoint, faults, search };
}

test('meaning finds what words do not, and what has both comes first', async (t) => {
  const { embedder, search, endpoint, store } = await start(t);
  await embedder.catchUp();
  assert.deepEqual(endpoint.requests.at(-1), {
    authorization: 'Bearer a-key',
    model: 'counting',
    input: [
      'feed. Gives food to a kitten',
      'walk. Takes the canine out',
      'sail. Steers a vessel',
      'cat counter. Adds up numbers of anything',
    ],
  });

  const cats = await search('feline');
  assert.deepEqual(cats.search, { mode: 'hybrid' });
  assert.deepEqual(cats.names.sort(), ['cat_counter', 'feed']);
  assert.equal(cats.total, 2);
  assert.ok(cats.tools.every(({ score }: { score: number }) => score > 0 && score < 0.8));
  assert.deepEqual((await search('puppy')).names, ['walk']);
  assert.deepEqual((await search('boat numbers')).names.slice(0, 2).sort(), [
    'cat_counter',
    'sail',
  ]);
  assert.deepEqual((await search('kitten feline')).names[0], 'feed');
  // Names, phrases, exclusions and other filters keep what they mean.
  assert.equal((await search('cat')).names[0], 'cat_counter');
  assert.deepEqual((await search('feline -food')).names, ['cat_counter']);
  assert.deepEqual((await search('feline "a kitten"')).names, ['feed']);
  assert.deepEqual((await search('feline', '&status=inactive')).names, []);

  await t.test(
    'new and changed tools get their vectors, others are not asked for again',
    async () => {
      const before = endpoint.requests.length;
      await embedder.catchUp();
      assert.equal(endpoint.requests.length, before);
      await registerTools(store, [{ name: 'bark', description: 'Of puppies' }]);
      await registerTools(store, [{ name: 'walk', description: 'Takes the ship out' }], 'update');
      // Until its new vector is there, the old one does not speak for it.
      assert.equal((await search('dogs')).names.includes('walk'), false);
      await embedder.catchUp();
      assert.equal(endpoint.requests.at(-1)?.input.length, 2);
      assert.deepEqual((await search('dogs')).names, ['bark']);
      assert.deepEqual((await search('vessels and boats')).names.sort(), ['sail', 'walk']);
    },
  );
});

const FAULTS: [string, Endpoint['answer'], RegExp][] = [
  ['never answers', 'never', /timeout/i],
  ['answers 500', { status: 500, body: '{}' }, /answered 500/],
  ['answers no JSON', { status: 200, body: '<html>' }, /not JSON/],
  ['answers too few', { status: 200, body: '{"data":[]}' }, /not 1 vectors/],
  ['answers no numbers', { status: 200, body: '{"data":[{"embedding":["x"]}]}' }, /no vectors/],
  [
    'answers with a place that no text has',
    { status: 200, body: '{"data":[{"embedding":[1],"index":4294967294}]}' },
    /no text: 4294967294/,
  ],
  [
    'answers more than any vector',
    { status: 200, body: `{"data":[{"embedding":[1]}],"more":"${'x'.repeat(1024 * 1024)}"}` },
    /too large/,
  ],
  ['refuses the text', { status: 400, body: '' }, /refuses texts/],
  ['answers zeros', { status: 200, body: '{"data":[{"embedding":[0,0]}]}' }, /without a direction/],
];
for (const [what, answer, reason] of FAULTS) {
  test(`an endpoint that ${what} leaves the search by words, which says so`, async (t) => {
    const { embedder, search, endpoint, faults, inject } = await start(t);
    await embedder.catchUp();
    endpoint.answer = answer;
    const first = await search('kitten');
    assert.deepEqual(first.names, ['feed']);
    assert.deepEqual(first.search, { mode: 'lexical', degraded: true });
    assert.match(faults.join(), reason);
    const metrics = (await inject({ url: '/metrics' })).payload;
    assert.match(metrics, /toolcrib_ranked_searches_total\{mode="lexical",degraded="true"\} 1\n/);
    // The next ones do not wait for it.
    const asked = endpoint.requests.length;
    assert.deepEqual((await search('kittens food')).names, ['feed']);
    assert.equal(endpoint.requests.length, asked);
  });
}

test('a vector of another length is compared with none', async (t) => {
  const { embedder, search, endpoint } = await start(t);
  await embedder.catchUp();
  endpoint.answer = { status: 200, body: '{"data":[{"embedding":[1,2,3]}]}' };
  assert.deepEqual((await search('kitten')).search, { mode: 'lexical', degraded: true });
});

test('two vectors for one text and none for another are a fault', async (t) => {
  const { embedder, endpoint } = await start(t);
  const body = JSON.stringify({ data: [0, 1, 2, 2].map((index) => ({ embedding: [1], index })) });
  endpoint.answer = { status: 200, body };
  await assert.rejects(embedder.catchUp(), /not one length/);
});

test('a tool that the endpoint refuses keeps no other from its vector', async (t) => {
  const { embedder, search, endpoint } = await start(t);
  endpoint.refuses = 'vessel';
  await assert.rejects(embedder.catchUp(), /refuses texts/);
  assert.deepEqual((await search('feline')).names.sort(), ['cat_counter', 'feed']);
  assert.deepEqual((await search('puppy')).names, ['walk']);
  endpoint.refuses = undefined;
  await embedder.catchUp();
  assert.deepEqual((await search('boat')).names, ['sail']);
});

test('a fault while tools are embedded loses none of them', async (t) => {
  const { embedder, search, endpoint } = await start(t);
  endpoint.answer = { status: 429, body: '' };
  await assert.rejects(embedder.catchUp(), /answered 429/);
  endpoint.answer = 'rightly';
  await embedder.catchUp();
  assert.deepEqual((await search('puppy')).names, ['walk']);
});
