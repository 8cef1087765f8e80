import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listen, MODES, type Mode } from './clients.ts';

for (const mode of Object.keys(MODES) as Mode[]) {
  test(`the official client in ${mode} mode lists, remembers and searches`, async (t) => {
    const { connect, send } = await listen(t);
    await send('POST', '/tools', {
      tools: [{ name: 'weather_get', description: 'Weather of a city', parameters: {} }],
    });
    const client = await connect(mode);
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    assert.ok(names.includes('search_memory'));
    assert.equal(names.at(-1), 'weather_get');

    const remembered = await client.callTool({
      name: 'remember',
      arguments: { content: 'The gateway listens on port 9443', path: 'projects/gateway' },
    });
    assert.equal(remembered.isError, undefined);
    const found = await client.callTool({
      name: 'search_memory',
      arguments: { query: 'gateway port' },
    });
    const [content] = found.content as { text: string }[];
    assert.match(content?.text ?? '', /projects\/gateway/);
    assert.match(content?.text ?? '', /1 hit, 0 more below the bar/);

    const refused = await client.callTool({ name: 'weather_get', arguments: {} });
    assert.equal(refused.isError, true);
    assert.match((refused.content as { text: string }[])[0]?.text ?? '', /^NO_SERVER: /);
    await assert.rejects(client.callTool({ name: 'nothing_such', arguments: {} }), /Unknown tool/);
    assert.deepEqual((await client.listPrompts()).prompts, []);
    assert.deepEqual((await client.listResources()).resources, []);
  });
}
