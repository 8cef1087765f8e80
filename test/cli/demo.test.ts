import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { basic, temporaryFolder } from '../helper.ts';

const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

test('demo prints an address that answers, also on a free port', async (t) => {
  const child = spawn(process.execPath, [MAIN, 'demo'], {
    cwd: temporaryFolder(t),
    env: {
      PATH: process.env['PATH'],
      TOOLCRIB_PORT: '0',
      TOOLCRIB_LOG_LEVEL: 'silent',
    },
  });
  t.after(async () => {
    child.kill();
    if (child.exitCode === null) await once(child, 'exit');
  });
  let url: string | undefined;
  for await (const line of createInterface({ input: child.stderr })) {
    url = /^Try: curl -u username:password "(.+)"$/.exec(line)?.[1];
    if (url !== undefined) break;
  }
  const headers = { authorization: basic('username', 'password') };
  const answer = await fetch(url ?? '', { headers });
  const { data } = (await answer.json()) as { data: { pagination: { total: number } } };
  assert.equal(data.pagination.total, 40);
});
