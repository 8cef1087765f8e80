import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import Fastify from 'fastify';
import { ConfigError, loadConfig } from '../src/config.ts';
import { temporaryFolder } from './helper.ts';

const NOWHERE = '/nonexistent';

/** The faults of these settings, a line each. */
function faultsOf(environment: Record<string, string>): string[] {
  try {
    loadConfig(environment, NOWHERE);
    return [];
  } catch (error) {
    assert(error instanceof ConfigError);
    return error.message.split('\n');
  }
}

test('every fault is listed at once, with the name of its setting', () => {
  const faults = faultsOf({
    TOOLCRIB_PORT: '65536',
    TOOLCRIB_DATABASE_URL: 'toolcrib.db',
    TOOLCRIB_ADMIN_USER: 'a b',
    TOOLCRIB_ADMIN_PASSWORD: 'short',
    TOOLCRIB_TRUSTED_PROXIES: 'foo, 10.0.0.1,10.0.0.0/33',
  });
  assert.deepEqual(faults, [
    'TOOLCRIB_PORT must be a port, 0 to 65535',
    'TOOLCRIB_DATABASE_URL must look like file:./data/toolcrib.db',
    'TOOLCRIB_ADMIN_USER must be 1 to 64 characters without white space, invisible ones, colon, slash, ? and #',
    'TOOLCRIB_ADMIN_PASSWORD must have at least 8 characters',
    'TOOLCRIB_TRUSTED_PROXIES must be IP addresses or CIDR ranges, with commas, not foo, 10.0.0.0/33',
  ]);
});

test('a trusted proxy that is taken is one that the server can use', () => {
  for (const [text, count] of [
    ['', 0],
    [' , ', 0],
    ['127.0.0.1', 1],
    ['10.0.0.0/8, 192.0.2.1/32', 2],
    ['::1,fd00::/8,2001:db8::1/128', 3],
    ['::ffff:10.0.0.1', 1],
    ['fe80::1%eth0', 1],
  ] as const) {
    const { config } = loadConfig({ TOOLCRIB_TRUSTED_PROXIES: text }, NOWHERE);
    assert.equal(config.trustedProxies.length, count, text);
    Fastify({ trustProxy: [...config.trustedProxies] });
  }
});

for (const range of [
  ...['foo', 'localhost', '10.0.0', '10.0.0.256', '10.0.0.1:80', '[::1]', '010.0.0.1', '*'],
  ...['10.0.0.0/', '10.0.0.0/0', '::/0', '10.0.0.0/08', '10.0.0.0/33', 'fd00::/129', '/8'],
  ...['10.0.0.0/-1', '10.0.0.0/8/8', '10.0.0.0/255.0.0.0', '10.0.0.0 /8', '10.0.0.1;10.0.0.2'],
]) {
  test(`the trusted proxy '${range}' is refused by name`, () => {
    const [fault = '', ...others] = faultsOf({ TOOLCRIB_TRUSTED_PROXIES: `127.0.0.1,${range}` });
    assert.ok(fault.startsWith('TOOLCRIB_TRUSTED_PROXIES must be '), fault);
    assert.ok(fault.endsWith(`, not ${range}`), fault);
    assert.deepEqual(others, []);
  });
}

for (const password of ['1234567', 'with\ttab in it', 'x'.repeat(1025)]) {
  test(`an admin's password that nobody could use is a fault: ${password.slice(0, 20)}`, (t) => {
    const file = `${temporaryFolder(t)}/password`;
    writeFileSync(file, `${password}\n`);
    for (const setting of [
      { TOOLCRIB_ADMIN_PASSWORD: password },
      { TOOLCRIB_ADMIN_PASSWORD_FILE: file },
    ]) {
      const [fault = '', ...others] = faultsOf(setting);
      assert.match(fault, /^TOOLCRIB_ADMIN_PASSWORD must /);
      assert.ok(!fault.includes(password));
      assert.deepEqual(others, []);
    }
  });
}

test("the admin's name follows the rule of every user's name", () => {
  for (const name of ['admin', 'josé', '天気', '😀'.repeat(64), "o'neil@example.com"]) {
    assert.equal(loadConfig({ TOOLCRIB_ADMIN_USER: name }, NOWHERE).config.adminUser, name);
  }
  for (const name of [
    'a:b',
    'a/b',
    'a?',
    'a#',
    ' a',
    'a\u00a0b',
    'a\x7f',
    'a\x85',
    'a'.repeat(65),
  ]) {
    assert.equal(faultsOf({ TOOLCRIB_ADMIN_USER: name }).length, 1, JSON.stringify(name));
  }
});

test('an unknown setting is warned of, with a near name only', () => {
  const { warnings } = loadConfig({ TOOLCRIB_XYZ: '1', TOOLCRIB_PROT: '1' }, NOWHERE);
  assert.deepEqual(warnings, [
    'TOOLCRIB_XYZ is not a setting',
    "TOOLCRIB_PROT is not a setting; did you mean 'TOOLCRIB_PORT'?",
  ]);
});

test('a provider of tokens comes with its audience and keys, and scopes that there are', () => {
  assert.deepEqual(faultsOf({ TOOLCRIB_OPENID_ISSUER: 'https://id.example' }), [
    'TOOLCRIB_OPENID_AUDIENCE must be set with TOOLCRIB_OPENID_ISSUER',
    'TOOLCRIB_OPENID_JWKS_URL must be set with TOOLCRIB_OPENID_ISSUER',
  ]);
  for (const text of ['reader', 'reader=', 'reader=tools', '=admin', 'a=admin,']) {
    const [fault = ''] = faultsOf({ TOOLCRIB_OPENID_SCOPES: text });
    assert.match(fault, /^TOOLCRIB_OPENID_SCOPES must be value=scope with commas/, text);
  }
});
