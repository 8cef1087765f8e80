import { isIP } from 'node:net';
import { SCOPE_NAMES, type Scope } from './auth/authorize.ts';

// The values of settings: each throws an Error that says what is allowed.

/** @throws Error unless true or false. */
export function parseBoolean(text: string): boolean {
  if (text !== 'true' && text !== 'false') throw new Error('must be true or false');
  return text === 'true';
}

/** @throws Error unless it is one of these. */
export function oneOf<Value extends string>(allowed: readonly Value[], text: string): Value {
  const value = allowed.find((known) => known === text);
  if (value === undefined) throw new Error(`must be one of ${allowed.join(', ')}`);
  return value;
}

/** What stands between commas. */
export function words(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** `https://chat.example.com`, as browsers say it. */
export function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

/** @throws Error for what is neither empty nor a URL of the web. */
export function urlOrNothing(text: string): string {
  const isUrl = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
  if (text !== '' && !isUrl) throw new Error('must be an http or https URL');
  return text;
}

/** `reader=tools:read,reader=usage:read` */
export function parseScopeMap(text: string): ReadonlyMap<string, readonly Scope[]> {
  if (text === '') return new Map(SCOPE_NAMES.map((scope) => [scope, [scope]]));
  const scopes = new Map<string, Scope[]>();
  for (const pair of text.split(',')) {
    const [, value = '', name = ''] = /^(.+)=(.+)$/.exec(pair.trim()) ?? [];
    const scope = SCOPE_NAMES.find((known) => known === name);
    if (scope === undefined) {
      throw new Error(`must be value=scope with commas, of the scopes ${SCOPE_NAMES.join(', ')}`);
    }
    scopes.set(value, [...(scopes.get(value) ?? []), scope]);
  }
  return scopes;
}

/** `10.0.0.1`, `10.0.0.0/8`, `fd00::/8`; a range of all addresses would trust everyone. */
export function isAddressRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  if (bits === undefined) return true;
  return /^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128);
}
