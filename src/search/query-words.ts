import type { Bits } from './bits.ts';
import type { Query } from './grammar.ts';
import type { Spelling } from './spelling.ts';
import { stem } from './stem.ts';
import { isStopWord } from './stop-words.ts';
import { synonymsOf } from './synonyms.ts';
import type { WordIndex } from './word-index.ts';
import { isUnspacedCharacter, toWords, type Word } from './words.ts';

/** How a word of the catalogue answers to a word of the query. */
export type Relation = 'word' | 'synonym' | 'spelling' | 'prefix';

/** What stands for a word of the query in the catalogue. */
export interface Alternative {
  stem: number;
  /** A form of it, for people. */
  text: string;
  relation: Relation;
  weight: number;
  /** In how many tools it stands. */
  frequency: number;
}

/** A word of the query; the best of its alternatives counts. */
export interface QueryWord {
  text: string;
  weight: number;
  /** Of the word itself, or of what was taken in its place; an unknown word has the highest. */
  idf: number;
  alternatives: Alternative[];
}

const WEIGHTS = { word: 1, synonym: 0.55, spelling: 0.9, prefix: 0.7 } as const;
/** What a word counts that stands twice or more in a query; what each part of a split word does. */
const REPEATED = 1.4;
const PART = 0.8;

const MAX_WORDS = 64;
/** A word that is begun can go on in many ways: the commonest. */
const MAX_PREFIXED = 24;
/** Nearly all that have one character. */
const MAX_PAIRS = 256;
const SHORTEST_PREFIX = 2;
const SHORTEST_PART = 3;
const MAX_CORRECTIONS = 3;

/** What looking words up needs; `live` are the slots that count. */
export interface Vocabulary {
  words: WordIndex;
  spelling: Spelling;
  live: Bits;
}

/** The words of terms that rank, without those that say nothing when others remain. */
export function wordsOf(query: Query): Word[] {
  const all = query.flat().flatMap(({ raw, exclude }) => (exclude ? [] : toWords(raw)));
  const telling = all.filter(({ text }) => !isStopWord(text));
  return (telling.length > 0 ? telling : all).slice(0, MAX_WORDS);
}

/** Looks up each distinct word of a query. */
export function lookUp(given: readonly Word[], vocabulary: Vocabulary): QueryWord[] {
  const words = new Map<string, QueryWord>();
  function add(text: string, isLast: boolean, ownWeight: number): void {
    const key = stem(text);
    const former = words.get(key);
    if (former !== undefined) {
      former.weight = Math.max(former.weight, REPEATED * ownWeight);
      return;
    }
    const alternatives = alternativesOf(text, isLast, vocabulary);
    if (alternatives.length === 0) {
      alternatives.push(...correctionsOf(text, 1, vocabulary));
      const parts = alternatives.length > 0 ? [] : partsOf(text, vocabulary);
      for (const part of parts) add(part, false, ownWeight * PART);
      if (parts.length > 0) return;
      if (alternatives.length === 0) alternatives.push(...correctionsOf(text, 2, vocabulary));
    }
    const own = alternatives.filter(({ relation }) => relation !== 'synonym');
    const frequency = Math.max(0, ...own.map((each) => each.frequency));
    words.set(key, {
      text,
      weight: ownWeight,
      idf: idf(frequency, vocabulary.words.live),
      alternatives,
    });
  }
  for (const [index, { text, whole }] of given.entries()) {
    // What has inner capitals counts by its parts; the whole of it is one more word if it is known.
    if (whole && frequencyOf(stem(text), vocabulary) === 0) continue;
    add(text, index === given.length - 1, 1);
  }
  return [...words.values()];
}

/** How telling a word is that stands in `frequency` of `total` tools. */
export function idf(frequency: number, total: number): number {
  return Math.log(1 + (total - frequency + 0.5) / (frequency + 0.5));
}

/** The word itself and its synonyms; for a word that is not known, what goes on from it. */
function alternativesOf(text: string, isLast: boolean, vocabulary: Vocabulary): Alternative[] {
  const key = stem(text);
  const own = alternative(text, key, 'word', vocabulary);
  const synonyms = [...synonymsOf(key)].map((synonym) =>
    alternative(synonym.text, synonym.stem, 'synonym', vocabulary),
  );
  const isBegun = own.length === 0 && isLast && text.length >= SHORTEST_PREFIX;
  const begun = isBegun || isUnspacedCharacter(text) ? wordsFrom(text, vocabulary) : [];
  return distinct([...own, ...begun, ...synonyms.flat()]);
}

function alternative(
  text: string,
  key: string,
  relation: Relation,
  { words, live }: Vocabulary,
): Alternative[] {
  const number = words.findStem(key);
  const frequency = number === undefined ? 0 : words.frequency(number, live);
  if (number === undefined || frequency === 0) return [];
  return [{ stem: number, text, relation, weight: WEIGHTS[relation], frequency }];
}

function distinct(alternatives: readonly Alternative[]): Alternative[] {
  const seen = new Set<number>();
  return alternatives.filter(({ stem: number }) => !seen.has(number) && seen.add(number));
}

function frequencyOf(key: string, { words, live }: Vocabulary): number {
  const number = words.findStem(key);
  return number === undefined ? 0 : words.frequency(number, live);
}

/** The commonest words that go on from `text`; for a character of an unspaced script, all with it. */
function wordsFrom(text: string, vocabulary: Vocabulary): Alternative[] {
  const { words } = vocabulary.words;
  const inside = isUnspacedCharacter(text);
  const needle = Buffer.from(text);
  const view = words.view();
  const found: Alternative[] = [];
  let number = 0;
  for (let at = view.indexOf(needle); at >= 0; ) {
    number = words.numberAt(at, number);
    if (inside || at === words.start(number)) {
      const word = words.text(number);
      found.push(...alternative(word, stem(word), 'prefix', vocabulary));
    }
    at = view.indexOf(needle, words.start(number + 1));
  }
  return commonest(found, inside ? MAX_PAIRS : MAX_PREFIXED);
}

/** Two known words that make up an unknown one: `filesystem` where only `file system` is known. */
function partsOf(text: string, vocabulary: Vocabulary): string[] {
  let best: { parts: string[]; rarest: number } | undefined;
  for (let at = SHORTEST_PART; at <= text.length - SHORTEST_PART; at += 1) {
    const parts = [text.slice(0, at), text.slice(at)];
    if (parts.some(isStopWord)) continue;
    const rarest = Math.min(...parts.map((part) => frequencyOf(stem(part), vocabulary)));
    if (rarest > (best?.rarest ?? 0)) best = { parts, rarest };
  }
  return best?.parts ?? [];
}

function correctionsOf(text: string, mostSlips: 1 | 2, vocabulary: Vocabulary): Alternative[] {
  const { words } = vocabulary;
  const isKnown = (word: number) => words.frequency(words.stemOf(word), vocabulary.live) > 0;
  const found = vocabulary.spelling.nearest(text, mostSlips, isKnown).flatMap(({ word }) => {
    const near = words.words.text(word);
    return alternative(near, stem(near), 'spelling', vocabulary);
  });
  return commonest(distinct(found), MAX_CORRECTIONS);
}

function commonest(alternatives: Alternative[], count: number): Alternative[] {
  return alternatives
    .sort((a, b) => b.frequency - a.frequency || (a.text < b.text ? -1 : 1))
    .slice(0, count);
}
