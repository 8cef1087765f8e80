import { createRandom } from '../random.ts';

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/** Puts one slip into one word of five letters or more of each text it is given, by a seed. */
export function createTypist(seed: number): (text: string) => string {
  const random = createRandom(seed);
  return (text) => {
    const words = [...text.matchAll(/[A-Za-z]{5,}/g)];
    if (words.length === 0) return text;
    const { 0: word, index } = random.pick(words);
    return `${text.slice(0, index)}${slip(word)}${text.slice(index + word.length)}`;
  };

  /** Drops, adds, replaces or swaps a letter behind the first. */
  function slip(word: string): string {
    const at = 1 + random.int(word.length - 2);
    const [before, after] = [word.slice(0, at), word.slice(at + 1)];
    const letter = LETTERS[random.int(LETTERS.length)];
    switch (random.int(4)) {
      case 0:
        return `${before}${after}`;
      case 1:
        return `${before}${letter}${word.slice(at)}`;
      case 2:
        return `${before}${letter}${after}`;
      default:
        return `${before}${word[at + 1]}${word[at]}${word.slice(at + 2)}`;
    }
  }
}
