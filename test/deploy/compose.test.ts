import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporaryFolder } from '../helper.ts';
import { ROOT, runProgram, without } from './tools.ts';

const skip = without('docker-compose');

/** The files as docker-compose reads them, with the lines of a `.env`. */
function config(t: TestContext, lines: string[], files = ['docker-compose.yml']): string {
  const env = join(temporaryFolder(t), 'env');
  writeFileSync(env, `${lines.join('\n')}\n`);
  const given = files.flatMap((file) => ['-f', join(ROOT, file)]);
  const args = ['--project-directory', ROOT, '--env-file', env, ...given, 'config'];
  return runProgram('docker-compose', args, { env: { PATH: process.env['PATH'] }, cwd: ROOT });
}

/** The lines of one service. */
function service(text: string, name: string): string {
  return new RegExp(`^  ${name}:\\n((?:    .*\\n)+)`, 'm').exec(text)?.[1] ?? '';
}

test('docker-compose wants the password, and says so', { skip }, (t) => {
  for (const lines of [[], ['TOOLCRIB_ADMIN_PASSWORD=']]) {
    assert.throws(() => config(t, lines), /TOOLCRIB_ADMIN_PASSWORD.* is missing in .env/);
  }
});

test('docker-compose takes .env.example once a password is in it', { skip }, (t) => {
  const example = readFileSync(join(ROOT, '.env.example'), 'utf8');
  const text = config(t, [
    example.replace(/^#? ?TOOLCRIB_ADMIN_PASSWORD=.*$/m, "TOOLCRIB_ADMIN_PASSWORD='pa$$word #1'"),
  ]);
  assert.match(service(text, 'toolcrib'), /TOOLCRIB_ADMIN_PASSWORD: '?pa\$+word #1'?\n/);
});

test('Toolcrib is reached through the gateway alone, which starts after it', { skip }, (t) => {
  const text = config(t, ['TOOLCRIB_ADMIN_PASSWORD=password']);
  const toolcrib = service(text, 'toolcrib');
  assert.doesNotMatch(toolcrib, /ports:|expose:|outside|privileged: true/);
  assert.match(toolcrib, /read_only: true/);
  assert.match(toolcrib, /volumes:\n {4}- data:\/data/);
  assert.match(text, /^ {2}inside:\n {4}internal: true\n/m);
  const subnet = /subnet: (\S+)/.exec(text)?.[1];
  assert.match(toolcrib, new RegExp(`TOOLCRIB_TRUSTED_PROXIES: ${subnet}\n`));
  const gateway = service(text, 'gateway');
  assert.match(gateway, /toolcrib:\n {8}condition: service_healthy/);
  assert.match(gateway, /published: 9200/);
});

test('a volume that cannot be used stops the start instead of a loop of restarts', {
  skip,
}, (t) => {
  const text = config(t, ['TOOLCRIB_ADMIN_PASSWORD=password']);
  assert.match(service(text, 'store'), /restart: "no"/);
  assert.match(service(text, 'toolcrib'), /store:\n {8}condition: service_completed_successfully/);
});

test('the password may be a secret', { skip }, (t) => {
  const files = ['docker-compose.yml', 'deploy/docker-compose.secret.yml'];
  const toolcrib = service(config(t, ['TOOLCRIB_ADMIN_PASSWORD=unused'], files), 'toolcrib');
  assert.match(toolcrib, /TOOLCRIB_ADMIN_PASSWORD: ''\n/);
  assert.match(toolcrib, /TOOLCRIB_ADMIN_PASSWORD_FILE: \/run\/secrets\/admin_password\n/);
  assert.match(toolcrib, /secrets:\n {4}- source: admin_password/);
});
