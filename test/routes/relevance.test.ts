import assert from 'node:assert/strict';
import { test } from 'node:test';
import { registerTools } from '../../src/catalogue/register.ts';
import type { Definition } from '../../src/catalogue/tool-document.ts';
import { startApp } from '../helper.ts';
import { failureOf } from '../http/failure.ts';

const TOOLS: Definition[] = [
  {
    name: 'create_issue',
    description: 'Open a ticket in a repository',
    tags: ['tracker'],
    server: 'github',
    metadata: { category: 'code' },
  },
  { name: 'create_issue_comment', description: 'Reply to a ticket' },
  { name: 'list_files', description: 'Create issue create issue, create an issue: lists files' },
  { name: 'getWeatherForecast', description: 'Temperatures of the next days' },
  {
    name: 'convert',
    description: 'Numbers',
    input_schema: {
      type: 'object',
      properties: { currency: { type: 'string', description: 'Such as the yen' } },
    },
  },
  { name: 'alone', description: '気' },
  { name: 'umlaut', description: 'Größe 天気予報 in Ærøskøbing, 100 % 😀' },
  {
    name: 'rtl',
    description: 'مرحبا بالعالم',
    title: 'Greeter',
    annotations: { readOnlyHint: true },
  },
];

async function start(t: Parameters<typeof startApp>[0]) {
  const app = await startApp(t);
  await registerTools(app.store, TOOLS);
  const search = async (text: string, rest = '') => {
    const path = `/tools?sort=relevance&search=${encodeURIComponent(text)}${rest}`;
    return (await app.get(path)).json().data;
  };
  const names = async (text: string, rest = '') =>
    (await search(text, rest)).tools.map(({ name }: { name: string }) => name);
  return { ...app, search, names };
}

test('ranking', async (t) => {
  const { search, names, get } = await start(t);

  const first: [string, string][] = [
    ['create_issue', 'create_issue'],
    ['create issue', 'create_issue'],
    ['Create-Issue', 'create_issue'],
    ['create_issue_com', 'create_issue_comment'],
    ['please open tickets for me', 'create_issue'],
    ['weather', 'getWeatherForecast'],
    ['getweatherforecast', 'getWeatherForecast'],
    ['what will the wether be like?', 'getWeatherForecast'],
    ['forcasts', 'getWeatherForecast'],
    ['tracker', 'create_issue'],
    ['github', 'create_issue'],
    ['currencies', 'convert'],
    ['yen', 'convert'],
    ['forex', 'convert'],
    ['greeter', 'rtl'],
    ['العالم بالعالم', 'rtl'],
    ['天', 'umlaut'],
    ['予報', 'umlaut'],
    ['天気予報', 'umlaut'],
    ['GRÖSSE', 'umlaut'],
    ['aeroskobing', 'umlaut'],
    ['😀', 'umlaut'],
    ['%', 'umlaut'],
  ];
  for (const [text, name] of first) {
    await t.test(`${JSON.stringify(text)} finds ${name} first`, async () => {
      assert.equal((await names(text))[0], name);
    });
  }

  await t.test('the name itself comes first, then names that begin so, then the rest', async () => {
    assert.deepEqual(await names('create issue'), [
      'create_issue',
      'create_issue_comment',
      'list_files',
    ]);
  });

  await t.test('one of the plain words is enough, phrases and exclusions hold', async () => {
    assert.deepEqual((await names('weather currency nothing')).sort(), [
      'convert',
      'getWeatherForecast',
    ]);
    assert.deepEqual(await names('issue -comment'), ['create_issue', 'list_files']);
    assert.deepEqual(await names('"open a ticket" weather'), []);
    assert.deepEqual(await names('"a ticket" issue -reply'), ['create_issue']);
    assert.deepEqual((await names('the "a ticket"')).sort(), [
      'create_issue',
      'create_issue_comment',
    ]);
    assert.deepEqual(await names('weather OR "to a ticket"'), [
      'getWeatherForecast',
      'create_issue_comment',
    ]);
    assert.equal((await names('-issue')).length, TOOLS.length - 3);
    assert.deepEqual(await names('nothing of this is here'), []);
  });

  await t.test('one character finds the pairs with it, also where it stands alone', async () => {
    assert.deepEqual((await names('気')).sort(), ['alone', 'umlaut']);
    assert.deepEqual(await names('気 -alone'), ['umlaut']);
  });

  await t.test('a sentence has as many words as fit, and at most 32 alternatives', async () => {
    assert.equal((await search('file '.repeat(200))).pagination.total, 1);
    assert.equal((await search(Array(32).fill('file').join(' OR '))).pagination.total, 1);
    const search33 = encodeURIComponent(Array(33).fill('file').join(' OR '));
    const answer = await get(`/tools?sort=relevance&search=${search33}`);
    const { details } = failureOf(answer, 'ValidationError');
    assert.equal(details?.reason, 'Search must have at most 32 search terms');
  });

  await t.test('other filters combine, and the total is exact on each page', async () => {
    assert.deepEqual(await names('issue', '&category=code'), ['create_issue']);
    assert.deepEqual(await names('issue', '&tags=tracker&server=github'), ['create_issue']);
    assert.deepEqual(await names('greeter', '&read_only=false'), []);
    assert.deepEqual(await names('greeter', '&read_only=true&status=active'), ['rtl']);
    assert.deepEqual(await names('greeter', '&min_success_rate=0.1'), []);
    assert.deepEqual(await names('greeter', '&status=inactive'), []);
    const { pagination, tools } = await search('issue', '&size=1&from=1');
    assert.deepEqual(pagination, { total: 3, size: 1, from: 1, has_more: true });
    assert.equal(tools.length, 1);
    assert.deepEqual((await search('issue', '&from=9')).tools, []);
  });

  await t.test('scores fall from 1 to 0, and ascending is the other way round', async () => {
    const { tools, search: how } = await search('create issue');
    const scores = tools.map(({ score }: { score: number }) => score);
    assert.deepEqual(how, { mode: 'lexical' });
    assert.ok(scores.every((score: number) => score >= 0 && score <= 1));
    assert.deepEqual(
      scores,
      [...scores].sort((a, b) => b - a),
    );
    assert.deepEqual(
      await names('create issue', '&order=asc'),
      tools.map(({ name }: { name: string }) => name).reverse(),
    );
  });

  await t.test('explain says which words count, and how', async () => {
    const [tool] = (await search('open a wether', '&explain=true')).tools;
    assert.deepEqual(tool.explanation, {
      words: [
        {
          word: 'wether',
          matched: 'weather',
          relation: 'spelling',
          fields: ['name'],
          share: 1,
        },
      ],
    });
    const [named] = (await search('create_issue', '&explain=true')).tools;
    assert.equal(named.explanation.name, 'equal');
    assert.equal('explanation' in (await search('create_issue')).tools[0], false);
  });

  await t.test('relevance is of a search', async () => {
    for (const query of ['sort=relevance', 'sort=relevance&search=%20']) {
      const { details } = failureOf(await get(`/tools?${query}`), 'ValidationError');
      assert.deepEqual(details, { field: 'sort', reason: 'Sort by relevance needs a search' });
    }
  });

  await t.test('a list that is not ranked has no scores, also with a search', async () => {
    const { data } = (await get('/tools?search=issue&explain=true')).json();
    assert.deepEqual(Object.keys(data), ['tools', 'pagination', 'filters_applied']);
    assert.equal('score' in data.tools[0], false);
  });
});

test('ranking follows every write', async (t) => {
  const { store, names, send, search } = await start(t);
  assert.deepEqual(await names('zebra'), []);
  await registerTools(store, [{ name: 'z', description: 'counts zebras' }]);
  assert.deepEqual(await names('zebra'), ['z']);
  const [{ tool_id, score }] = (await search('zebra counts')).tools;
  // What was removed weighs no more: the same tools rank with the same scores.
  await registerTools(store, [{ name: 'y', description: 'another zebra of many zebras' }]);
  assert.notEqual((await search('zebra counts')).tools[0].score, score);
  await send('DELETE', `/tools/${(await search('another zebra')).tools[0].tool_id}`);
  assert.deepEqual((await search('zebra counts')).tools[0].score, score);
  await send('PUT', `/tools/${tool_id}`, { description: 'counts horses' });
  assert.deepEqual(await names('zebra'), []);
  assert.deepEqual(await names('horse'), ['z']);
});

test('hostile searches get an answer or a reason, and never everything', async (t) => {
  const { get } = await start(t);
  const hostile = [
    'OR',
    '-',
    '""',
    '"',
    '"" OR -""',
    '*',
    'NEAR(a b)',
    "'; drop table tools; --",
    '\\',
    '(((',
    '\u202eabc',
    '🇩🇪',
    '👩‍👧',
    'ß',
    'ı',
    'a'.repeat(1024),
    'a '.repeat(512),
    'word '.repeat(20_000),
    'x'.repeat(65_536),
    '"a" '.repeat(33),
    '__proto__ constructor hasOwnProperty toString',
  ];
  for (const text of hostile) {
    for (const sort of ['relevance', 'name']) {
      const url = `/tools?sort=${sort}&search=${encodeURIComponent(text)}`;
      const answer = await get(url);
      assert.ok(
        [200, 400, 414].includes(answer.statusCode),
        `${text.slice(0, 20)} ${answer.payload}`,
      );
      if (answer.statusCode === 200) {
        assert.ok(answer.json().data.pagination.total < TOOLS.length, text.slice(0, 20));
      }
    }
  }
});
