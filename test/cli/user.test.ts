import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { ADMIN_SCOPES, type Principal } from '../../src/auth/authorize.ts';
import { verifyPassword } from '../../src/auth/passwords.ts';
import { createUser } from '../../src/auth/users.ts';
import { addUser } from '../../src/cli/user.ts';
import { remember } from '../../src/memory/remember.ts';
import { openStore } from '../../src/store/store.ts';
import { BASE, basic, startApp, temporaryFolder } from '../helper.ts';
import { makeStore } from '../store/stores.ts';
import { runCli } from './run-cli.ts';

test('users of the command line are users of a running server from its next request on', async (t) => {
  const { app, store } = await startApp(t);
  const environment = { TOOLCRIB_DATABASE_URL: `file:${store.file}` };
  const cli = (args: string[], input = '') =>
    runCli(temporaryFolder(t), ['user', ...args], { environment, input });
  async function whoAmI(password: string): Promise<string[] | number> {
    const headers = { authorization: basic('ci', password) };
    const answer = await app.inject({ url: `${BASE}/whoami`, headers });
    return answer.statusCode === 200 ? answer.json().data.scopes : answer.statusCode;
  }

  const added = await cli(['add', 'ci']);
  assert.equal(added.stderr, 'User ci added with tools:read\n');
  const first = added.stdout.trim();
  assert.match(first, /^[\w-]{24}$/);
  assert.deepEqual(await whoAmI(first), ['tools:read']);

  assert.deepEqual(await cli(['passwd', 'ci', '--password-stdin'], 'correct horse\n'), {
    code: 0,
    stdout: '',
    stderr: 'User ci has a new password\n',
  });
  assert.equal(await whoAmI(first), 401);
  assert.deepEqual(await whoAmI('correct horse'), ['tools:read']);

  const scopes = await cli(['scopes', 'ci', '--scopes', 'tools:write, tools:read']);
  assert.equal(scopes.stderr, 'User ci has tools:write, tools:read\n');
  assert.deepEqual(await whoAmI('correct horse'), ['tools:write', 'tools:read']);

  assert.equal((await cli(['remove', 'ci'])).code, 2);
  assert.deepEqual(await whoAmI('correct horse'), ['tools:write', 'tools:read']);
  assert.equal((await cli(['remove', 'ci', '--yes'])).stderr, 'User ci removed\n');
  assert.equal(await whoAmI('correct horse'), 401);
});

test('added users are listed in name order; the first without the scope admin is warned of', async (t) => {
  const folder = temporaryFolder(t);
  const cli = (...args: string[]) => runCli(folder, ['user', ...args]);
  const { stderr } = await cli('add', 'zoe');
  assert.match(stderr, /^User zoe added with tools:read\nWarning: no user has the scope admin/);
  assert.equal((await cli('add', 'amy', '--admin')).stderr.split('\n').length, 2);

  const line = /^(\w+) {2}\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ {2}(.+)$/;
  const lines = (await cli('list')).stdout.trimEnd().split('\n');
  assert.deepEqual(
    lines.map((text) => line.exec(text)?.slice(1)),
    [
      ['amy', ADMIN_SCOPES.join(', ')],
      ['zoe', 'tools:read'],
    ],
  );
  const json = JSON.parse((await cli('list', '--json')).stdout);
  assert.deepEqual(Object.keys(json[1]), ['user_id', 'name', 'scopes', 'created_at', 'updated_at']);
  assert.deepEqual([json[1].name, json[1].scopes], ['zoe', ['tools:read']]);
});

for (const [args, message] of [
  [['add', 'a b'], /A name has 1 to 64 characters without white space/],
  [['add', 'x', '--scopes', 'tools:rea'], /did you mean 'tools:read'\?/],
  [['add', 'x', '--scopes', 'admin', '--admin'], /cannot be used with/],
  [['scopes', 'nobody'], /required option '--scopes <scopes>'/],
] as const) {
  test(`user ${args.join(' ')} is wrong usage and says why`, async () => {
    const program = new Command();
    addUser(program);
    for (const command of program.commands[0]?.commands ?? []) {
      command.exitOverride().configureOutput({ writeErr: () => {} });
    }
    await assert.rejects(program.parseAsync(['user', ...args], { from: 'user' }), { message });
  });
}

for (const [args, input, code, message] of [
  [['add', 'x', '--password-stdin'], 'short', 1, /^toolcrib: The password must have at least 8/],
  [['passwd', 'x', '--password-stdin'], 'long enough', 1, /^toolcrib: User 'x' not found$/],
] as const) {
  test(`user ${args.join(' ')} < '${input}' is refused with ${code}`, async (t) => {
    const { folder } = makeStore(t);
    const result = await runCli(folder, ['user', ...args], { input });
    assert.deepEqual([result.code, result.stdout], [code, '']);
    assert.match(result.stderr.trim(), message);
  });
}

const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
const hasScript = spawnSync('script', ['--version']).status === 0;

/** Runs the command on a terminal and types each answer when its prompt is shown. */
async function onTerminal(folder: string, args: string, answers: readonly (readonly string[])[]) {
  const command = `'${process.execPath}' '${MAIN}' ${args}`;
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], TOOLCRIB_DATABASE_URL: `file:${folder}/toolcrib.db` },
    timeout: 60_000,
  });
  let screen = '';
  let next = 0;
  let read = 0;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    screen += text;
    const [prompt = '', answer = ''] = answers[next] ?? [];
    // Behind a prompt the terminal may be told where its cursor is.
    if (next < answers.length && screen.includes(prompt, read)) {
      read = screen.length;
      next += 1;
      child.stdin.write(answer);
    }
  });
  const [code] = await once(child, 'close');
  return { code, screen };
}

for (const [what, answer, exitCode, message] of [
  ['the password is asked twice and not shown', 'correct horse\r', 0, /User ci added/],
  ['two passwords that differ add no user', 'correct house\r', 1, /The two passwords differ/],
  ['Ctrl-C adds no user', '\x03', 1, /Interrupted; nothing was changed/],
] as const) {
  test(`on a terminal ${what}`, { skip: !hasScript }, async (t) => {
    const folder = temporaryFolder(t);
    const { code, screen } = await onTerminal(folder, 'user add ci', [
      ['Password: ', 'correct horse\r'],
      ['Once more: ', answer],
    ]);
    assert.equal(code, exitCode);
    assert.match(screen, message);
    assert.doesNotMatch(screen, /horse|house/);
    const store = openStore(`file:${join(folder, 'toolcrib.db')}`);
    t.after(() => store.close());
    const user = await store.users.get('ci');
    assert.equal(user !== undefined, exitCode === 0);
    if (user) assert.ok(await verifyPassword('correct horse', user.password_hash));
  });
}

test('on a terminal a password that is refused is not asked for again', {
  skip: !hasScript,
}, async (t) => {
  const answers = [['Password: ', 'short\r']];
  const { code, screen } = await onTerminal(temporaryFolder(t), 'user add ci', answers);
  assert.equal(code, 1);
  assert.match(screen, /^Password: \s+toolcrib: The password must have at least 8/);
});

for (const [answers, exitCode, left] of [
  [[['erase them? ', 'erase\r']], 0, []],
  [[['erase them? ', 'keep\r']], 0, ['ada']],
  [
    [
      ['erase them? ', 'transfer\r'],
      ['which user? ', 'bob\r'],
    ],
    0,
    ['bob'],
  ],
  [
    [
      ['erase them? ', 'transfer\r'],
      ['which user? ', 'nobody\r'],
    ],
    1,
    ['ada'],
  ],
  [[['erase them? ', '\r']], 1, ['ada']],
] as const) {
  const typed = answers.map(([, answer]) => answer.trim()).join(', ');
  test(`on a terminal it is asked what becomes of memories: '${typed}'`, {
    skip: !hasScript,
  }, async (t) => {
    const { store, folder } = makeStore(t);
    const [ada, bob] = await Promise.all(
      ['ada', 'bob'].map((name) =>
        createUser(store, { name, password: 'a long password', scopes: ['memory:write'] }),
      ),
    );
    await remember(store, ada as Principal, { content: 'A fact', path: 'notes' }, 'mask');
    const first = ['[y/N] ', 'y\r'] as const;
    const { code, screen } = await onTerminal(folder, 'user remove ada', [first, ...answers]);
    assert.equal(code, exitCode, screen);
    const owners = store.db.raw
      .prepare('select name from memory_owners where id in (select owner from memories)')
      .pluck()
      .all();
    const idOf = { ada: ada?.id, bob: bob?.id };
    assert.deepEqual(
      owners,
      left.map((name) => idOf[name]),
    );
    assert.equal((await store.users.get('ada')) === undefined, exitCode === 0);
  });
}
