const MAX_ERROR = 200;
/** Texts of errors are cut here before they are looked at, so that a long one costs little. */
const MAX_SEEN = 4_096;
const MASK = '***';

/** A value up to its closing quote, also of JSON inside JSON. */
const quoted = (key: string) =>
  new RegExp(
    `(${key}\\\\{0,3}["']?\\s{0,4}[:=]>?\\s{0,4}\\[?)(\\\\{0,3}["'])(?:(?!\\2)\\\\?[\\s\\S])*`,
    'gi',
  );
/** A value without quotes, up to where the characters of `value` end. */
const plain = (key: string, value: string) =>
  new RegExp(
    `(${key}\\\\{0,3}["']?\\s{0,4}[:=]>?\\s{0,4})(?!\\s{0,4}(?:[\\\\"'\\[]|\\*\\*\\*))${value}`,
    'gi',
  );

const HEADER = '(?:authorization|cookie)';
const KEY =
  '(?:(?:api|access|account|shared|private|session|signing|encryption)[-_ ]?(?:access[-_ ]?)?key|secret(?!ar)|token(?!s\\b)|passw(?:or)?d|\\bpass|pwd|passphrase|credentials?|session(?:[-_ ]?id)?|signature|\\bsig|[?&]key)[\\w-]{0,32}(?: (?:provided|given|used|is)\\b)?';
const NO_SECRET = '(?!(?:null|none|undefined|true|false)\\b)';
/** What follows the name of a scheme in a sentence about it. */
const WORDS =
  '(?!(?:auth(?:entication|orization)?|realm|tokens?|schemes?|credentials?|headers?|required|mismatch|access|errors?)(?:[\\s,;:)"\']|\\.?$|\\.\\s|=["\']))';

/** What looks like a credential. Each is linear in the text's length: no two starts look at the same. */
const SECRETS: readonly [RegExp, string][] = [
  // Headers whose whole line is secret.
  [quoted(HEADER), `$1$2${MASK}`],
  [plain(HEADER, '[^\\r\\n"\'}]+'), `$1${MASK}`],
  // What such headers hold, wherever it stands.
  [
    new RegExp(
      `\\b(bearer|basic|digest|negotiate)(\\s+|%20|\\+)${WORDS}[A-Za-z0-9+/=._~-]{6,}`,
      'gi',
    ),
    `$1 ${MASK}`,
  ],
  // Our own tokens.
  [/\btcb_[0-9A-Za-z]+_[0-9A-Za-z]+/g, MASK],
  // user:password@ in URLs, and a token in their place. What is behind // has no further //.
  [/(:\/\/[^\s:/?#@]*):[^\s/?#]*@/g, `$1:${MASK}@`],
  [/(:\/\/)[^\s:/?#@]{16,}@/g, `$1${MASK}@`],
  // key=value, "key": "value" and --key value with a telling key.
  [quoted(KEY), `$1$2${MASK}`],
  [plain(KEY, `${NO_SECRET}[^\\s"',;&)}\\]\\\\]+`), `$1${MASK}`],
  [new RegExp(`(--(?:[a-z]{1,16}-)?${KEY}\\s{1,4})[^\\s"'-][^\\s"']*`, 'gi'), `$1${MASK}`],
  // Keys of well-known issuers, JSON Web Tokens and private keys.
  [/\b(?:sk|pk|rk)[-_](?=[A-Za-z_-]{0,40}[0-9])[A-Za-z0-9_-]{8,}/g, MASK],
  [
    /\bgh[opusr]_[A-Za-z0-9]{8,}|\bgithub_pat_\w{8,}|\bglpat-[\w-]{8,}|\bnpm_[A-Za-z0-9]{8,}/g,
    MASK,
  ],
  [
    /\bxox[a-z]-[\w-]{8,}|\bAIza[\w-]{16,}|\bya29\.[\w-]{8,}|\b(?:AKIA|ASIA)[A-Z0-9]{12,}|\bhf_[A-Za-z0-9]{8,}|\bSG\.[\w-]{8,}\.[\w-]{8,}/g,
    MASK,
  ],
  [/(?<![\w-])eyJ[\w-]{4,}\.[\w-]+(?:\.[\w-]*)*/g, MASK],
  [/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*/g, MASK],
  // 40 characters of base64, as a secret key of AWS has.
  [
    /(?<![\w/+=.-])(?=[A-Za-z0-9+]{0,39}[/+])(?=[A-Z0-9/+]*[a-z])(?=[a-z0-9/+]*[A-Z])[A-Za-z0-9+][A-Za-z0-9/+]{39}(?![\w/+=.-])/g,
    MASK,
  ],
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
