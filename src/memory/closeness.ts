import { stem } from '../search/stem.ts';
import { isStopWordOfMemories } from '../search/stop-words.ts';
import { isUnspacedPair, toWords } from '../search/words.ts';
import type { AskedWord } from './candidates.ts';

/** Longer contents are looked at up to here, in UTF-16 units. */
const MAX_SEEN = 4_000;
/** `Anna: I moved`, `8 May, Anna: …`, `Decision: …`: who or what a text says of itself it is about. */
const LABEL = /^[^\n]{1,80}?(?::\s|：)/;

/** What a close look at a content shows. */
export interface CloseLook {
  /** Which words of the query it has, by their place. */
  has: readonly boolean[];
  /** Which of them are in its label. */
  inLabel: readonly boolean[];
  /** Words that follow each other in the query, and do so here: by the place of the second. */
  pairs: readonly number[];
}

/** Looks at a content for the words of a query. */
export function lookAt(content: string, words: readonly AskedWord[]): CloseLook {
  const text = content.slice(0, MAX_SEEN);
  const label = LABEL.exec(text)?.[0] ?? '';
  const asked = new Map(words.flatMap(({ stems }, place) => stems.map((each) => [each, place])));
  const has = words.map(() => false);
  const inLabel = words.map(() => false);
  const pairs = new Set<number>();
  let before: number | undefined;
  const see = (place: number | undefined, isLabel: boolean) => {
    if (place === undefined) return;
    has[place] = true;
    if (isLabel) inLabel[place] = true;
  };
  const visit = (part: string, isLabel: boolean) => {
    for (const word of toWords(part)) {
      if (isStopWordOfMemories(word.text)) continue;
      const place = asked.get(stem(word.text));
      // A character that is asked for alone is in a pair here.
      if (isUnspacedPair(word.text)) for (const one of word.text) see(asked.get(one), isLabel);
      see(place, isLabel);
      if (place !== undefined) {
        if (before !== undefined && before === place - 1) pairs.add(place);
      }
      if (!word.whole) before = place;
    }
  };
  visit(label, true);
  visit(text.slice(label.length), false);
  return { has, inLabel, pairs: [...pairs] };
}
