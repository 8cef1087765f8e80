import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { listen } from './clients.ts';
import { FIXTURES } from './fixtures.ts';
import { NOT_APPLICABLE } from './not-applicable.ts';

const RUNNER = 'node_modules/@modelcontextprotocol/conformance/dist/index.js';

for (const [revision, groups] of Object.entries(NOT_APPLICABLE)) {
  test(`the official conformance runner, by the requirements of ${revision}`, async (t) => {
    const { app, origin, authorization } = await listen(t, {}, FIXTURES);
    // The runner cannot send credentials.
    app.server.prependListener('request', ({ headers }) => {
      headers.authorization ??= authorization;
    });
    const folder = mkdtempSync(join(tmpdir(), 'toolcrib-conformance-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const lines = Object.values(groups).flat();
    const baseline = join(folder, 'baseline.yml');
    writeFileSync(baseline, `server:\n${lines.map((name) => `  - ${name}\n`).join('')}`);
    await run(t, [
      ...['server', '--url', `${origin}/mcp`, '--requirements', revision],
      ...['--expected-failures', baseline, '-o', join(folder, 'out')],
    ]);
  });
}

/** A scenario that fails and is not listed, or is listed and passes, makes the runner end with 1. */
async function run(t: TestContext, args: string[]): Promise<void> {
  const done = promisify(execFile)(process.execPath, [RUNNER, ...args], {
    maxBuffer: 64 * 1024 * 1024,
    signal: t.signal,
  });
  const { stdout } = await done.catch((error: { stdout: string; message: string }) => {
    assert.fail(`${error.stdout?.slice(-6_000)}\n${error.message.slice(0, 500)}`);
  });
  assert.match(stdout, /passed/);
}
