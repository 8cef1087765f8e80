import { idf, type Vocabulary } from './query-words.ts';
import { stem } from './stem.ts';
import { isStopWord } from './stop-words.ts';
import { toWords, type Word } from './words.ts';

/** What two words that follow each other in the query add when they do so in the tool. */
const PAIR_IN_NAME = 0.9;
const PAIR_IN_DESCRIPTION = 0.45;
/** What a name adds that consists of words of the query. */
const NAME_COVER = 0.15;
/** The beginning of a description says what a tool does. */
const MAX_DESCRIPTION = 2_000;

/** Two neighbours of the query, as stems, and how telling they are together. */
export interface Pair {
  first: string;
  second: string;
  idf: number;
}

/** Neighbours among the words of a query. */
export function pairsOf(words: readonly Word[], vocabulary: Vocabulary): Pair[] {
  const stems = words.filter(({ whole }) => !whole).map(({ text }) => stem(text));
  const pairs = new Map<string, Pair>();
  const telling = (key: string) => {
    const number = vocabulary.words.findStem(key);
    const frequency =
      number === undefined ? 0 : vocabulary.words.frequency(number, vocabulary.live);
    return frequency === 0 ? undefined : idf(frequency, vocabulary.words.live);
  };
  for (const [at, second] of stems.entries()) {
    const first = stems[at - 1];
    if (first === undefined || first === second) continue;
    const [one, other] = [telling(first), telling(second)];
    if (one === undefined || other === undefined) continue;
    pairs.set(`${first} ${second}`, { first, second, idf: (one + other) / 2 });
  }
  return [...pairs.values()];
}

/** No tool gains more than this by its closeness, as a part of its score and in addition to it. */
export function closenessLimit(pairs: readonly Pair[]): { factor: number; sum: number } {
  const sum = pairs.reduce((total, { idf }) => total + PAIR_IN_NAME * idf, 0);
  return { factor: 1 + NAME_COVER, sum };
}

/** The score of a tool after a look at its texts: neighbours that stay neighbours, a name that says it all. */
export function closerScore(
  score: number,
  texts: { name: string; description: string },
  pairs: readonly Pair[],
  isAsked: (stem: string) => boolean,
): number {
  const name = stemsOf(texts.name);
  const asked = name.filter(isAsked).length;
  let sum = score * (1 + (NAME_COVER * asked) / Math.max(1, name.length));
  if (pairs.length === 0) return sum;
  const inName = neighbours(name);
  const inDescription = neighbours(stemsOf(texts.description.slice(0, MAX_DESCRIPTION)));
  for (const { first, second, idf } of pairs) {
    const pair = `${first} ${second}`;
    if (inName.has(pair)) sum += PAIR_IN_NAME * idf;
    else if (inDescription.has(pair)) sum += PAIR_IN_DESCRIPTION * idf;
  }
  return sum;
}

function stemsOf(text: string): string[] {
  return toWords(text).flatMap((word) =>
    word.whole || isStopWord(word.text) ? [] : [stem(word.text)],
  );
}

function neighbours(stems: readonly string[]): Set<string> {
  return new Set(stems.map((stem, index) => `${stems[index - 1]} ${stem}`));
}
