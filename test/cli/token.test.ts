import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Command } from 'commander';
import { createUser } from '../../src/auth/users.ts';
import { addToken } from '../../src/cli/token.ts';
import { BASE, startApp, temporaryFolder } from '../helper.ts';
import { makeStore } from '../store/stores.ts';
import { runCli } from './run-cli.ts';

test('tokens of the command line are tokens of a running server from its next request on', async (t) => {
  const { app, store, addUser } = await startApp(t);
  await addUser('ci', ['tools:read', 'tools:write']);
  const environment = { TOOLCRIB_DATABASE_URL: `file:${store.file}` };
  const cli = (...args: string[]) =>
    runCli(temporaryFolder(t), ['token', ...args], { environment });
  async function whoAmI(token: string) {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await app.inject({ url: `${BASE}/whoami`, headers });
    return answer.statusCode === 200 ? answer.json().data : answer.statusCode;
  }

  const made = await cli('create', 'ci');
  const token = made.stdout.trim();
  const id = token.slice(0, 16);
  assert.equal(made.stderr, `Token ${id} of ci created with tools:read, tools:write\n`);
  const { scopes, token: limits } = await whoAmI(token);
  assert.deepEqual([scopes, limits], [['tools:read', 'tools:write'], { token_id: id }]);

  const all = ['--tools', 'a__*', '!*x', '--read', 'a/%', '--write', 'a/b', '--expires', '90d'];
  const { stdout } = await cli('create', 'ci', '--name', 'x', '--scopes', 'tools:read', ...all);
  const narrow = stdout.trim();
  const lines = (await cli('list', 'ci')).stdout.trimEnd().split('\n');
  assert.equal(lines.length, 2);
  assert.match(
    lines.join('\n'),
    / {2}ci {2}x {2}tools:read {2}4 limits {2}expires \d{4}-.* {2}used never/,
  );
  const [shown] = JSON.parse((await cli('list', '--json')).stdout);
  const { created_at, expires_at, ...rest } = shown;
  assert.equal(Date.parse(expires_at) - Date.parse(created_at), 90 * 86_400_000);
  assert.deepEqual(rest, {
    token_id: narrow.slice(0, 16),
    name: 'x',
    user_id: (await store.users.get('ci'))?.id,
    user: 'ci',
    scopes: ['tools:read'],
    read_paths: ['a/%'],
    write_paths: ['a/b'],
    tool_patterns: ['a__*', '!*x'],
  });

  assert.deepEqual(await cli('revoke', id), {
    code: 0,
    stdout: '',
    stderr: `Token ${id} revoked\n`,
  });
  assert.equal(await whoAmI(token), 401);
  assert.equal((await cli('revoke', narrow)).code, 0);
  assert.equal(await whoAmI(narrow), 401);
  const again = await cli('revoke', narrow);
  assert.equal(again.code, 1);
  assert.equal(again.stderr, `toolcrib: Token '${narrow.slice(0, 16)}' not found\n`);
});

for (const [args, message] of [
  [['--expires', 'soon'], /must look like 90d/],
  [['--tools', 'a b'], /must match/],
  [['--read', 'a//b'], /must match/],
  [['--scopes', 'tool:read'], /did you mean 'tools:read'/],
] as const) {
  test(`token create ci ${args.join(' ')} is wrong usage and says why`, async () => {
    const program = new Command();
    addToken(program);
    for (const command of program.commands[0]?.commands ?? []) {
      command.exitOverride().configureOutput({ writeErr: () => {} });
    }
    const parsing = program.parseAsync(['token', 'create', 'ci', ...args], { from: 'user' });
    await assert.rejects(parsing, { message });
  });
}

test('a token for nobody, beyond its owner or of the past is refused and says why', async (t) => {
  const { folder, store } = makeStore(t);
  await createUser(store, { name: 'ci', password: 'long enough', scopes: ['tools:read'] });
  for (const [args, message] of [
    [['nobody'], "User 'nobody' not found"],
    [['ci', '--scopes', 'admin'], "This needs the scope 'admin'"],
    [['ci', '--expires', '2000-01-01T00:00:00Z'], 'expires_at must be in the future'],
  ] as const) {
    const { code, stdout, stderr } = await runCli(folder, ['token', 'create', ...args]);
    assert.deepEqual([code, stdout], [1, '']);
    assert.ok(stderr.includes(message), stderr);
  }
});
