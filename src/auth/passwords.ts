import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { createHashQueue } from './hash-queue.ts';

export const MAX_PASSWORD_BYTES = 1024;
const MIN_NEW_CHARACTERS = 8;

// Argon2id with 19 MiB, two passes and one lane: the first choice of the OWASP password storage
// cheat sheet. One hash takes about 30 ms of one core.
const COST = { memory: 19_456, passes: 2, parallelism: 1 };
const SALT_BYTES = 16;
const TAG_BYTES = 32;

// Two of the four threads that Node shares with file access; 64 waiting are about a second of work.
const inTurn = createHashQueue(2, 64);

interface PasswordHash {
  memory: number;
  passes: number;
  parallelism: number;
  salt: Buffer;
  tag: Buffer;
}

/** Matches no password and costs what a real one costs: for names that do not exist. */
export const DUMMY_HASH = format({
  ...COST,
  salt: randomBytes(SALT_BYTES),
  tag: randomBytes(TAG_BYTES),
});

/** Why a new password cannot be taken, or undefined when it can. */
export function passwordFault(password: string): string | undefined {
  const fault = unusable(password);
  if (fault !== undefined) return fault;
  if ([...password].length < MIN_NEW_CHARACTERS) {
    return `must have at least ${MIN_NEW_CHARACTERS} characters`;
  }
  return undefined;
}

/** A password that nobody chose: 144 random bits in 24 characters. */
export function generatePassword(): string {
  return randomBytes(18).toString('base64url');
}

/**
 * The PHC string (`$argon2id$v=19$m=…,t=…,p=…$salt$hash`) to store for a password, of any length
 * that can be sent; the rules for new ones are in `passwordFault`.
 * @throws AppError ServiceUnavailableError when too many hashes wait.
 */
export async function hashPassword(password: string): Promise<string> {
  const fault = unusable(password);
  if (fault !== undefined) throw new Error(`The password ${fault}`);
  const salt = randomBytes(SALT_BYTES);
  // Urgent: only someone who is signed in already, or the operator, sets passwords.
  const tag = await inTurn(() => derive(password, { ...COST, salt }, TAG_BYTES), true);
  return format({ ...COST, salt, tag });
}

/**
 * Whether the password is the one behind the PHC string, whose own parameters are used.
 * `urgent` puts it before the others; `admit` runs right before the hash and may throw to save it.
 * @throws Error for a malformed PHC string; AppError ServiceUnavailableError when too many wait.
 */
export async function verifyPassword(
  password: string,
  phc: string,
  { urgent = false, admit = () => {} }: { urgent?: boolean; admit?: () => void } = {},
): Promise<boolean> {
  const stored = parse(phc);
  // Says nothing about the user: no hash was ever made of such a password.
  if (unusable(password) !== undefined) return false;
  const derived = await inTurn(async () => {
    admit();
    return derive(password, stored, stored.tag.length);
  }, urgent);
  return timingSafeEqual(derived, stored.tag);
}

/** What Basic credentials cannot carry (RFC 7617 section 2), or what would not compare exactly. */
function unusable(password: string): string | undefined {
  if (password === '') return 'must not be empty';
  if (Buffer.byteLength(password) > MAX_PASSWORD_BYTES) {
    return `must have at most ${MAX_PASSWORD_BYTES} bytes in UTF-8`;
  }
  if (/\p{Cc}/u.test(password)) return 'must not contain control characters';
  if (!password.isWellFormed()) return 'must not contain lone surrogates';
  return undefined;
}

function derive(
  password: string,
  { salt, ...cost }: Omit<PasswordHash, 'tag'>,
  tagLength: number,
): Promise<Buffer> {
  const { memory, passes, parallelism } = cost;
  return new Promise((resolve, reject) => {
    argon2(
      'argon2id',
      { message: password, nonce: salt, memory, passes, parallelism, tagLength },
      (error, tag) => (error ? reject(error) : resolve(tag)),
    );
  });
}

function format({ memory, passes, parallelism, salt, tag }: PasswordHash): string {
  const cost = `m=${memory},t=${passes},p=${parallelism}`;
  return `$argon2id$v=19$${cost}$${unpadded(salt)}$${unpadded(tag)}`;
}

// Bounded digits: a damaged row must not make us fill a gigabyte of memory.
const PHC =
  /^\$argon2id\$v=19\$m=([1-9]\d{0,5}),t=([1-9]\d?),p=([1-9]\d?)\$([\w+/]{11,86})\$([\w+/]{22,86})$/;

function parse(phc: string): PasswordHash {
  const [, memory, passes, parallelism, saltText = '', tagText = ''] = PHC.exec(phc) ?? [];
  const salt = Buffer.from(saltText, 'base64');
  const tag = Buffer.from(tagText, 'base64');
  if (tagText === '' || unpadded(salt) !== saltText || unpadded(tag) !== tagText) {
    throw new Error('Malformed password hash');
  }
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt,
    tag,
  };
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
