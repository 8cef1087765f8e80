/** How a query of few words meets a name: it is the name, or the name begins with it. */
export type NameMatch = 'equal' | 'begins';

const UNDERSCORE = 0x5f;
const LONGEST = 128;
const SHORTEST = 2;

/** A query's words as one run of letters, or undefined when it is no name. */
export function nameNeedle(words: readonly string[]): Uint8Array | undefined {
  const needle = Buffer.from(words.join(''));
  return needle.length < SHORTEST || needle.length > LONGEST ? undefined : needle;
}

/** The bytes of `github__` in `github__create_issue`, 0 when there is no such prefix. */
export function prefixLength(name: Uint8Array): number {
  for (let at = 1; at < name.length - 2; at += 1) {
    if (name[at] === UNDERSCORE && name[at + 1] === UNDERSCORE) return Math.min(at + 2, 255);
  }
  return 0;
}

/** Compares without case and separators, so that `create issue` is the name `create_issue`. */
export function matchName(
  bytes: Uint8Array,
  from: number,
  to: number,
  needle: Uint8Array,
): NameMatch | undefined {
  let matched = 0;
  for (let at = from; at < to; at += 1) {
    let byte = bytes[at] as number;
    if (isSeparator(byte)) continue;
    if (matched === needle.length) return 'begins';
    if (byte >= 0x41 && byte <= 0x5a) byte += 0x20;
    if (byte !== needle[matched]) return undefined;
    matched += 1;
  }
  return matched === needle.length ? 'equal' : undefined;
}

/** One of - . _ */
function isSeparator(byte: number): boolean {
  return byte === 0x2d || byte === 0x2e || byte === UNDERSCORE;
}
