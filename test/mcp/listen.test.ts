import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listen } from './clients.ts';

test('a listener hears that tools changed, by whatever way, and closing ends its stream', async (t) => {
  const { app, connect, send } = await listen(t);
  const client = await connect('modern');
  const heard: (() => void)[] = [];
  client.setNotificationHandler('notifications/tools/list_changed', () => heard.shift()?.());
  const next = () => new Promise<void>((resolve) => heard.push(resolve));
  const subscription = await client.listen({ toolsListChanged: true });
  assert.deepEqual(subscription.honoredFilter, { toolsListChanged: true });

  const registered = next();
  const answer = await send('POST', '/tools', {
    tools: [{ name: 'one', description: '', parameters: {} }],
  });
  await registered;
  const removed = next();
  await send('DELETE', `/tools/${answer.json().data.tools[0].tool_id}`);
  await removed;

  await app.close();
  assert.notEqual(await subscription.closed, 'local');
});
