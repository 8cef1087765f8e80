import { createRandom, type Random } from '../random.ts';

const VOCABULARY = 30_000;
const LONGEST = 40;
const SHORTEST = 8;
const QUERY_WORDS = 5;
const SYLLABLES = 'ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu'.split(' ');

/** Made texts whose words are as unevenly common as in a language (Zipf), and queries out of them. */
export function createTexts(seed: number) {
  const random = createRandom(seed);
  const words = Array.from({ length: VOCABULARY }, (_, number) => wordOf(number));

  /** The commonest have the lowest numbers: the rank is as likely as its reciprocal. */
  function word(): string {
    return words[Math.min(VOCABULARY - 1, Math.floor(VOCABULARY ** random.next()) - 1)] as string;
  }

  return {
    random,
    content(): string {
      const length = SHORTEST + random.int(LONGEST - SHORTEST);
      return Array.from({ length }, word).join(' ');
    },
    /** Some of the words of a content. */
    query(content: string, own: Random = random): string {
      const all = content.split(' ');
      return Array.from({ length: QUERY_WORDS }, () => own.pick(all)).join(' ');
    },
  };
}

/** A word of its own for each number. */
function wordOf(number: number): string {
  let text = '';
  for (let rest = number + SYLLABLES.length; rest > 0; rest = Math.floor(rest / SYLLABLES.length)) {
    text += SYLLABLES[rest % SYLLABLES.length];
  }
  return text;
}
