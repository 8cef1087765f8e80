import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseBasic } from '../../src/auth/basic.ts';
import { isUserName } from '../../src/auth/user-name.ts';

function base64(text: string | Uint8Array): string {
  return Buffer.from(text).toString('base64');
}

const aladdin = { name: 'Aladdin', password: 'open sesame' };
const long = 'x'.repeat(1000);

for (const [what, header, expected] of [
  ['the sample of RFC 7617', 'Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==', aladdin],
  ['its UTF-8 sample', 'Basic dGVzdDoxMjPCow==', { name: 'test', password: '123£' }],
  ['no padding', 'Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ', aladdin],
  ['lower-case scheme', 'basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==', aladdin],
  ['upper-case scheme', 'BASIC QWxhZGRpbjpvcGVuIHNlc2FtZQ==', aladdin],
  ['two spaces', 'Basic  QWxhZGRpbjpvcGVuIHNlc2FtZQ==', aladdin],
  ['colons in the password', `Basic ${base64('a:b:c:')}`, { name: 'a', password: 'b:c:' }],
  ['empty password', `Basic ${base64('a:')}`, { name: 'a', password: '' }],
  ['spaces kept', `Basic ${base64('a: b ')}`, { name: 'a', password: ' b ' }],
  ['NFC', `Basic ${base64('caf\u00e9:p')}`, { name: 'caf\u00e9', password: 'p' }],
  ['NFD', `Basic ${base64('cafe\u0301:p')}`, { name: 'cafe\u0301', password: 'p' }],
  ['BOM kept', `Basic ${base64('a:\ufeffp')}`, { name: 'a', password: '\ufeffp' }],
  [
    '64 characters of a name',
    `Basic ${base64(`${'😀'.repeat(64)}:p`)}`,
    { name: '😀'.repeat(64), password: 'p' },
  ],
  ['1,000 characters', `Basic ${base64(`a:${long}`)}`, { name: 'a', password: long }],
  [
    '1,024 bytes',
    `Basic ${base64(`a:${'é'.repeat(512)}`)}`,
    { name: 'a', password: 'é'.repeat(512) },
  ],
  ['1,025 bytes', `Basic ${base64(`a:${'é'.repeat(512)}x`)}`, undefined],
  [
    'header of 4,096',
    `Basic ${' '.repeat(4096 - 6 - 4)}${base64('a:b')}`,
    { name: 'a', password: 'b' },
  ],
  ['header of 4,097', `Basic ${' '.repeat(4097 - 6 - 4)}${base64('a:b')}`, undefined],
  ['no header', undefined, undefined],
  ['empty header', '', undefined],
  ['scheme alone', 'Basic', undefined],
  ['no token', 'Basic ', undefined],
  ['no space', 'BasicYTpi', undefined],
  ['tab', 'Basic\tYTpi', undefined],
  ['leading space', ' Basic YTpi', undefined],
  ['trailing space', 'Basic YTpi ', undefined],
  ['line feed at the end', 'Basic YTpi\n', undefined],
  ['another scheme', 'Bearer YTpi', undefined],
  ['two values joined', 'Basic YTpi, Basic YTpi', undefined],
  ['junk after the token', 'Basic YTpi!', undefined],
  ['junk inside', 'Basic YT!pi', undefined],
  ['a second word', 'Basic YTpi YTpi', undefined],
  ['text after the padding', 'Basic YTpiYw==YTpi', undefined],
  ['too much padding', 'Basic YTpiYw===', undefined],
  ['too little padding', 'Basic YTpiYw=', undefined],
  ['padding without need', 'Basic YTpi=', undefined],
  ['padding alone', 'Basic ==', undefined],
  ['one character too many', 'Basic YTpiY', undefined],
  ['unused bits set', 'Basic YTpiYx==', undefined],
  [
    'URL-safe alphabet',
    `Basic ${base64('a:>>>???').replace(/\+/g, '-').replace(/\//g, '_')}`,
    undefined,
  ],
  ['no colon', `Basic ${base64('abc')}`, undefined],
  ['65 characters of a name', `Basic ${base64(`${'a'.repeat(65)}:p`)}`, undefined],
  ['a name with a space', `Basic ${base64('a b:p')}`, undefined],
  ['a BOM before the name', `Basic ${base64('\ufeffa:p')}`, undefined],
  ['a name that no path holds', `Basic ${base64('a/b:p')}`, undefined],
  ['empty name', `Basic ${base64(':b')}`, undefined],
  ['NUL in the password', `Basic ${base64('a:b\0')}`, undefined],
  ['NUL in the name', `Basic ${base64('a\0:b')}`, undefined],
  ['line feed', `Basic ${base64('a:b\nc')}`, undefined],
  ['DEL', `Basic ${base64('a:b\x7f')}`, undefined],
  ['C1 control', `Basic ${base64('a:b\u0085')}`, undefined],
  ['ISO 8859-1', `Basic ${base64(Buffer.from('test:123£', 'latin1'))}`, undefined],
  ['cut UTF-8', `Basic ${base64(new Uint8Array([0x61, 0x3a, 0xe2, 0x82]))}`, undefined],
  ['over-long UTF-8', `Basic ${base64(new Uint8Array([0x61, 0x3a, 0xc0, 0xaf]))}`, undefined],
  [
    'encoded surrogate',
    `Basic ${base64(new Uint8Array([0x61, 0x3a, 0xed, 0xa0, 0x80]))}`,
    undefined,
  ],
] as const) {
  test(`Basic credentials: ${what}`, () => {
    assert.deepEqual(parseBasic(header), expected);
  });
}

const text = fc.string({ unit: 'binary', maxLength: 100 }).filter((s) => !/\p{Cc}|\p{Cs}/u.test(s));

test('what was encoded is parsed back exactly, with and without padding', () => {
  const name = fc.string({ unit: 'binary', maxLength: 64 }).filter(isUserName);
  fc.assert(
    fc.property(name, text, (name, password) => {
      const token = base64(`${name}:${password}`);
      assert.deepEqual(parseBasic(`Basic ${token}`), { name, password });
      assert.deepEqual(parseBasic(`Basic ${token.replace(/=+$/, '')}`), { name, password });
    }),
  );
});

test('a token that is accepted is the encoding of what it was read as', () => {
  const token = fc.oneof(
    fc.string({ unit: fc.constantFrom(...'aAYWTpi6Zz019+/=_- ') }),
    fc.uint8Array({ maxLength: 12 }).map(base64),
    text.map((s) => base64(`a:${s}`)),
  );
  fc.assert(
    fc.property(token, (token) => {
      const read = parseBasic(`Basic ${token}`);
      fc.pre(read !== undefined);
      const whole = base64(`${read?.name}:${read?.password}`);
      assert([whole, whole.replace(/=+$/, '')].includes(token.trimStart()));
    }),
    { numRuns: 1000 },
  );
});
