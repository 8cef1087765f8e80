import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { randomText } from '../random-text.ts';

const CHARACTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ID_LENGTH = 12;
/** 43 of 62 characters are 256 bits. */
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;

/** How a token begins: what it is listed and revoked by. */
export const TOKEN_ID = `^tcb_[0-9A-Za-z]{${ID_LENGTH}}$`;

const TOKEN = new RegExp(
  `^(tcb_[0-9A-Za-z]{${ID_LENGTH}})_[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`,
);

/** A new token, `tcb_<id>_<256 random bits><checksum>`, and its id, which is how it begins. */
export function newToken(): { id: string; text: string } {
  const id = `tcb_${randomText(ID_LENGTH, CHARACTERS)}`;
  const text = `${id}_${randomText(SECRET_LENGTH, CHARACTERS)}`;
  return { id, text: text + checksum(text) };
}

/** The id in a token's text; undefined when it has no such form, or was cut or mistyped. */
export function tokenIdOf(text: string): string | undefined {
  const id = TOKEN.exec(text)?.[1];
  const end = text.length - CHECKSUM_LENGTH;
  return text.slice(end) === checksum(text.slice(0, end)) ? id : undefined;
}

/** What is kept of a token. It has 256 random bits, so that a fast hash is enough. */
export function tokenHash(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

/** The text with the secret part of every token in it masked. */
export function maskTokens(text: string): string {
  return text.replace(/(tcb_[0-9A-Za-z]{12}_)[0-9A-Za-z]{8,}/g, '$1***');
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let at = 0; at < CHECKSUM_LENGTH; at++) {
    digits = CHARACTERS.charAt(rest % CHARACTERS.length) + digits;
    rest = Math.floor(rest / CHARACTERS.length);
  }
  return digits;
}
