const MAX_ERROR = 200;
/** Texts of errors are cut here before they are looked at, so that a long one costs little. */
const MAX_SEEN = 4_096;
const MASK = '***';

/** What looks like a credential. Each is linear in the text's length. */
const SECRETS: readonly [RegExp, string][] = [
  // Authorization headers, also inside JSON.
  [/\b(bearer|basic|digest|negotiate)(\s+|%20|\+)[A-Za-z0-9+/=._~-]{6,}/gi, `$1 ${MASK}`],
  // user:password@ in URLs.
  [/(:\/\/[^\s:/@]{0,256}):[^\s/@]{1,256}@/g, `$1:${MASK}@`],
  // key=value and "key": "value" with a telling key.
  [
    /((?:api[-_ ]?key|access[-_ ]?key|secret|token|passw(?:or)?d|pwd|passphrase|authorization|credentials?|cookie|session(?:[-_ ]?id)?|signature|sig|private[-_ ]?key)[\w-]{0,32}["']?\s{0,4}[:=]\s{0,4}["']?)(?!\*\*\*)(?:(?:bearer|basic)\s+)?[^\s"',;&)}\]]+/gi,
    `$1${MASK}`,
  ],
  // Keys of well-known issuers, JSON Web Tokens and private keys.
  [/\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{8,}/g, MASK],
  [
    /\bgh[opusr]_[A-Za-z0-9]{8,}|\bgithub_pat_\w{8,}|\bglpat-[\w-]{8,}|\bnpm_[A-Za-z0-9]{8,}/g,
    MASK,
  ],
  [
    /\bxox[a-z]-[\w-]{8,}|\bAIza[\w-]{16,}|\bya29\.[\w-]{8,}|\b(?:AKIA|ASIA)[A-Z0-9]{12,}|\bhf_[A-Za-z0-9]{8,}/g,
    MASK,
  ],
  [/\beyJ[\w-]{4,}\.[\w-]+(?:\.[\w-]*)?/g, MASK],
  [/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*/g, MASK],
  // Long runs of hexadecimal or mixed letters and digits, as keys are; words have no digits.
  [/\b[0-9a-f]{32,}\b/gi, MASK],
  [/\b(?=[A-Za-z_]*[0-9])(?=[0-9_]*[A-Za-z])[A-Za-z0-9_]{40,}\b/g, MASK],
];

/** The text with what looks like a credential masked; the same text when nothing does. */
export function maskSecrets(text: string): string {
  let masked = text;
  for (const [pattern, mask] of SECRETS) masked = masked.replace(pattern, mask);
  return masked;
}

/** The text of an error as it is kept: what looks like a credential masked, at most 200 characters. */
export function maskedError(error: string): string {
  const text = maskSecrets(error.slice(0, MAX_SEEN));
  const characters = Array.from(text.slice(0, 2 * MAX_ERROR));
  return characters.slice(0, MAX_ERROR).join('').toWellFormed();
}
