import { randomInt } from 'node:crypto';

/** Unguessable text of so many of these characters, each as likely as the others. */
export function randomText(length: number, characters: string): string {
  return Array.from({ length }, () => characters.charAt(randomInt(characters.length))).join('');
}
