import { hash } from 'node:crypto';
import { fold } from '../search/fold.ts';
import { stem } from '../search/stem.ts';
import { isStopWordOfMemories } from '../search/stop-words.ts';
import { isUnspacedPair, toWords } from '../search/words.ts';

/** What is derived from a content. */
export interface ContentFacts {
  /** How many words it has. */
  length: number;
  /** How often each stem is in it; of words that say nothing only when there are no others. */
  counts: ReadonlyMap<string, number>;
  /** Of its normal form: contents that differ in case, width or white space only have one hash. */
  hash: Uint8Array;
}

let last: { content: string; facts: ContentFacts } | undefined;

/** The facts of a content, the same always. A write asks for those of one content several times. */
export function contentFacts(content: string): ContentFacts {
  if (last?.content !== content) last = { content, facts: workOut(content) };
  return last.facts;
}

function workOut(content: string): ContentFacts {
  const all = toWords(content);
  const telling = all.filter(({ text }) => !isStopWordOfMemories(text));
  const counts = new Map<string, number>();
  let length = 0;
  for (const { text, whole } of telling.length > 0 ? telling : all) {
    const key = stem(text);
    counts.set(key, (counts.get(key) ?? 0) + 1);
    if (!whole) length += 1;
    // A pair of characters is found by either of them alone.
    if (isUnspacedPair(text)) for (const character of text) counts.set(character, 1);
  }
  const normal = fold(content).replace(/\s+/gu, ' ').trim();
  return { length, counts, hash: hash('sha256', normal, 'buffer').subarray(0, 16) };
}
