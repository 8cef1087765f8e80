import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { maskedError } from '../../src/mask-secrets.ts';

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';
const AWS_SECRET = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';

/** Texts with a credential (or several) and what is kept of them. Nothing here was ever valid. */
const MASKED: readonly [string, string][] = [
  ['Authorization: Bearer abc.def-ghi', 'Authorization: ***'],
  ['Authorization: Token abcdef12\nAccept: */*', 'Authorization: ***\nAccept: */*'],
  ['Proxy-Authorization: Basic dXNlcjpwYXNz==', 'Proxy-Authorization: ***'],
  ['{"Authorization":"Bearer abcdefgh12","a":1}', '{"Authorization":"***","a":1}'],
  ["{'authorization': 'Basic dXNlcjpwYXNz'}", "{'authorization': '***'}"],
  ['{"authorization":["Bearer abcdefgh12"]}', '{"authorization":["***"]}'],
  ['refused bearer abcdefgh12 for it', 'refused bearer *** for it'],
  ['sent Basic dXNlcjpwYXNz', 'sent Basic ***'],
  ['Cookie: session=abc; other=def', 'Cookie: ***'],
  ['password=hunter2', 'password=***'],
  ['password: hunter2 now', 'password: *** now'],
  ['Password = "hunter2 with space" end', 'Password = "***" end'],
  ['"password": "hun\\"ter2", "a": 1', '"password": "***", "a": 1'],
  ['body {\\"password\\":\\"hunter2\\",\\"a\\":1}', 'body {\\"password\\":\\"***\\",\\"a\\":1}'],
  ["pwd='hunter2'", "pwd='***'"],
  ['PGPASSWORD=hunter2 psql', 'PGPASSWORD=*** psql'],
  ['pass=hunter2', 'pass=***'],
  ['mysql --password hunter2 -h db', 'mysql --password *** -h db'],
  ['X-Api-Key: 12345', 'X-Api-Key: ***'],
  ['GET /?api_key=abc&a=1', 'GET /?api_key=***&a=1'],
  ['GET /?key=abc', 'GET /?key=***'],
  ['Incorrect API key provided: abcdef123', 'Incorrect API key provided: ***'],
  ['refresh_token=abc', 'refresh_token=***'],
  ['client_secret=abc', 'client_secret=***'],
  ['AccountKey=abc123==;Name=a', 'AccountKey=***;Name=a'],
  ['https://h/?X-Amz-Signature=abcdef', 'https://h/?X-Amz-Signature=***'],
  ['key AKIAIOSFODNN7EXAMPLE.', 'key ***.'],
  [`got ${AWS_SECRET} there`, 'got *** there'],
  [`AWS_SECRET_ACCESS_KEY=${AWS_SECRET}`, 'AWS_SECRET_ACCESS_KEY=***'],
  ['ghp_16C7e42F292c6912E7710c838347Ae178B4a', '***'],
  ['github_pat_11ABCDEFG0_abcdefghij', '***'],
  ['glpat-abcdefgh1234', '***'],
  ['npm_abcdefghijkl', '***'],
  ['sk-proj-abc_DEF-123456', '***'],
  ['sk_live_51Habcdefgh', '***'],
  ['xoxb-123456789012-abcdef', '***'],
  ['AIzaSyA-1234567890abcdefghijklmnopqrstu', '***'],
  ['hf_abcdefghijkl', '***'],
  ['SG.abcdefghijklmnop.qrstuvwxyz123456', '***'],
  [`jwt ${JWT}, expired`, 'jwt ***, expired'],
  ['https://user:pass@host/x', 'https://user:***@host/x'],
  ['https://user:p@ss@host/x', 'https://user:***@host/x'],
  ['redis://:secretpw@host:6379', 'redis://:***@host:6379'],
  [`https://user:${'p'.repeat(3_000)}@host/`, 'https://user:***@host/'],
  ['https://abcdefabcdefabcdef@host/x', 'https://***@host/x'],
  ['-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END', '***'],
  ['hash d41d8cd98f00b204e9800998ecf8427e', 'hash ***'],
];

const UNCHANGED = [
  'connection refused',
  'ENOENT: no such file or directory, open /var/lib/service2/data/long/path/of/it.json',
  'timeout of 30000 ms exceeded',
  'unexpected token < in JSON at position 0',
  'The token expired',
  'max_tokens: 4096 is more than 2048 tokens: shorten it',
  'token: null',
  'basic authentication failed',
  'Bearer authentication required.',
  '401: Bearer realm="x"',
  'secretary: Ann',
  'see http://a:8080/c@d and https://host/path@2',
  'git@github.com refused, as did ssh://git@host/x',
  'tool 550e8400-e29b-41d4-a716-446655440000 is gone',
  'sk-learn-contrib is missing, risk-averse-people too',
  'ключ не подошёл 🔑 密码',
];

test('what looks like a credential is masked, the words around it are kept', () => {
  for (const [text, kept] of MASKED) assert.equal(maskedError(text), kept, text);
});

test('ordinary texts stay as they are', () => {
  for (const text of UNCHANGED) assert.equal(maskedError(text), text);
});

test('a masked text is not changed again', () => {
  for (const [text] of MASKED) assert.equal(maskedError(maskedError(text)), maskedError(text));
});

test('several credentials in one text are all masked', () => {
  const secrets = ['hunter2', 'dXNlcjpwYXNz', JWT, AWS_SECRET, 'ghp_16C7e42F292c6912E7710c838347'];
  const text = `pwd=hunter2; Basic dXNlcjpwYXNz ${JWT} ${AWS_SECRET} ${secrets[4]}`;
  for (const secret of secrets) assert.ok(!maskedError(text).includes(secret), secret);
});

test('a credential is masked before the text is cut', () => {
  const text = `${'x '.repeat(98)}sk-abcdef12345678`;
  assert.equal(maskedError(text), `${'x '.repeat(98)}***`);
});

test('a text is cut to 200 characters, never inside of one', () => {
  assert.equal(maskedError('é'.repeat(201)), 'é'.repeat(200));
  assert.equal(maskedError('🔑'.repeat(201)), '🔑'.repeat(200));
  assert.equal(maskedError(`a${'🔑'.repeat(300)}`), `a${'🔑'.repeat(199)}`);
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
      const kept = maskedError(text);
      assert.ok(kept.isWellFormed());
      assert.ok(Array.from(kept).length <= 200);
    }),
  );
});

test('no hostile text costs more than a moment', () => {
  const units =
    'a|-|.|=|"|\\|\\"| |:|eyJ|eyJa-|eyJaaaa.|-eyJaaaa|sk-|sk-a|://|://a:|://a@|a://a:b|a:|@|bearer |basic a|secret|secret=|secret="|token:\'|"token":|password |--password |api key |key=|AKIA|ghp_|xoxb-|SG.a|0a|a0_|ab/+|-----BEGIN |authorization|authorization:|cookie: |null|[|%20|🔑'.split(
      '|',
    );
  for (const unit of units) {
    for (const end of ['', '!', '@']) {
      for (const length of [4_095, 65_535]) {
        const text = unit.repeat(Math.ceil(length / unit.length)).slice(0, length) + end;
        const times = [1, 2, 3, 4].map(() => timeOf(() => maskedError(text)));
        assert.ok(Math.min(...times) < 100, `${times.join()} ms for ${unit}`);
      }
    }
  }
});

function timeOf(work: () => void): number {
  const started = performance.now();
  work();
  return performance.now() - started;
}
