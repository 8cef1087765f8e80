import { isUtf8 } from 'node:buffer';
import { MAX_PASSWORD_BYTES } from './passwords.ts';
import { isUserName } from './user-name.ts';

const MAX_HEADER_CHARACTERS = 4096;

// Node's decoder skips what is not base64, so the alphabet is checked here.
const BASIC = /^basic +([a-z0-9+/]+)(={0,2})$/i;

/**
 * Name and password of an `Authorization` header (RFC 7617, charset UTF-8), or undefined when it
 * has no such form or the name is none. No normalization: NFC and NFD of a name are two names.
 */
export function parseBasic(
  header: string | undefined,
): { name: string; password: string } | undefined {
  if (header === undefined || header.length > MAX_HEADER_CHARACTERS) return undefined;
  const [, token = '', padding = ''] = BASIC.exec(header) ?? [];
  const bytes = Buffer.from(token, 'base64');
  const canonical = bytes.toString('base64');
  const [exact] = canonical.split('=');
  // Padding is whole or absent, and the unused bits of the last character are zero.
  if (token !== exact || (padding !== '' && token + padding !== canonical)) return undefined;
  // Not TextDecoder: it would drop a leading byte order mark and make two names one.
  if (!isUtf8(bytes)) return undefined;
  const text = bytes.toString('utf8');
  const colon = text.indexOf(':');
  const name = text.slice(0, colon);
  const password = text.slice(colon + 1);
  if (colon < 0 || !isUserName(name) || /\p{Cc}/u.test(password)) return undefined;
  if (Buffer.byteLength(password) > MAX_PASSWORD_BYTES) return undefined;
  return { name, password };
}
