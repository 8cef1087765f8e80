import { addBits, type Bits, emptyBits, forEachBit } from './bits.ts';
import { closenessLimit, closerScore, type Pair, pairsOf } from './closeness.ts';
import type { Query, Term } from './grammar.ts';
import { type NameMatch, nameNeedle } from './name-match.ts';
import { byScore, firstOf, JUST_WORDS, NAME_BEGINS, NAME_EQUALS, NAMED } from './order.ts';
import { lookUp, type QueryWord, wordsOf } from './query-words.ts';
import { LIMIT, scoreSlots } from './ranking.ts';
import type { SearchIndex } from './search-index.ts';
import { stem } from './stem.ts';
import { isStopWord } from './stop-words.ts';
import { toWords } from './words.ts';

/** So many of the best are looked at closely. */
const CLOSE_LOOK = 50;
/** What ranking found. */
export interface Ranked {
  /** Each matching slot once, in no order. */
  slots: number[];
  /** By slot, 0 to 1. */
  scores: Float64Array;
  /** The words that were looked for. */
  words: QueryWord[];
}

/**
 * Ranks the tools of `among` that match: phrases and exclusions hold as they do in a filter, of the
 * plain words of a branch one is enough. A tool has the best of its scores for the branches.
 */
export function rank(index: SearchIndex, query: Query, among: Bits): Ranked {
  const [first, ...others] = query.map((branch) => rankBranch(index, branch, among));
  if (first === undefined) return { slots: [], scores: new Float64Array(0), words: [] };
  const { scores, words } = first;
  const slots = new Set(first.slots);
  for (const branch of others) {
    words.push(...branch.words);
    for (const slot of branch.slots) {
      const former = slots.has(slot) ? (scores[slot] as number) : 0;
      slots.add(slot);
      scores[slot] = Math.max(former, branch.scores[slot] as number);
    }
  }
  return { slots: others.length === 0 ? first.slots : [...slots], scores, words };
}

function rankBranch(index: SearchIndex, branch: readonly Term[], among: Bits): Ranked {
  const binding = branch.filter(({ phrase, exclude }) => phrase || exclude);
  const allowed = index.texts.find(binding.length > 0 ? [binding] : [], among);
  const given = wordsOf([branch]);
  const words = lookUp(given, index);
  const pairs = pairsOf(given, index);
  const { scores, slots: scored } = scoreSlots(words, index.words, allowed);
  const slots = matchingSlots(index, branch, allowed, scored);
  lookClosely(index, slots, scores, pairs, words);

  if (slots !== scored) {
    const matching = new Set(slots);
    for (const slot of scored) if (!matching.has(slot)) scores[slot] = 0;
  }
  const highest = highestScore(words, pairs);
  for (const slot of slots) {
    scores[slot] = JUST_WORDS * Math.min(1, (scores[slot] as number) / highest);
  }
  const named = matchNames(index, branch, allowed);
  let matched: Set<number> | undefined;
  for (const [slot, match] of named) {
    // Its words weigh nothing where the name alone makes it a match.
    const base = match === 'equal' ? NAME_EQUALS : NAME_BEGINS;
    if (scores[slot] === 0) {
      matched ??= new Set(slots);
      if (!matched.has(slot)) slots.push(slot);
    }
    scores[slot] = base + NAMED * (scores[slot] as number);
  }
  return { slots, scores, words };
}

/** The slots with one of the plain words; without plain words, all that the others let through. */
function matchingSlots(
  index: SearchIndex,
  branch: readonly Term[],
  allowed: Bits,
  scored: number[],
): number[] {
  const plain = branch.filter(({ phrase, exclude }) => !phrase && !exclude);
  const hasPhrase = branch.some(({ phrase, exclude }) => phrase && !exclude);
  const words = wordsOf([plain]);
  // Words that say nothing bind no one who gave a phrase.
  const optional = hasPhrase ? words.filter(({ text }) => !isStopWord(text)) : words;
  if (optional.length > 0) {
    if (!hasPhrase) return scored;
    return scoreSlots(lookUp(optional, index), index.words, allowed).slots;
  }
  const matched = emptyBits(allowed.length * 32);
  if (plain.length === 0 || hasPhrase) matched.set(allowed);
  else {
    // Words without a letter or digit, such as %: they are looked for as they are.
    for (const term of plain) addBits(matched, index.texts.findTerm(term, allowed));
  }
  const slots: number[] = [];
  forEachBit(matched, (slot) => slots.push(slot));
  return slots;
}

/** No score of these words and pairs is higher. */
function highestScore(words: readonly QueryWord[], pairs: readonly Pair[]): number {
  const best = words.reduce((sum, word) => sum + word.weight * word.idf * LIMIT, 0);
  const { factor, sum } = closenessLimit(pairs);
  return Math.max(best * factor + sum, Number.MIN_VALUE);
}

/** Puts a closer score in the place of the scores of the best. */
function lookClosely(
  index: SearchIndex,
  slots: readonly number[],
  scores: Float64Array,
  pairs: readonly Pair[],
  words: readonly QueryWord[],
): void {
  const asked = new Set(words.map(({ text }) => stem(text)));
  const isAsked = (key: string) => asked.has(key);
  for (const slot of firstOf(slots, CLOSE_LOOK, (a, b) => byScore(index, scores, a, b))) {
    const [, description = ''] = index.texts.textsOf(slot);
    const texts = { name: Buffer.from(index.name(slot)).toString(), description };
    scores[slot] = closerScore(scores[slot] as number, texts, pairs, isAsked);
  }
}

/** The slots whose name is, or begins with, the plain words. */
function matchNames(index: SearchIndex, branch: readonly Term[], allowed: Bits) {
  const plain = branch.filter(({ phrase, exclude }) => !phrase && !exclude);
  const words = plain.flatMap(({ raw }) => toWords(raw)).filter(({ whole }) => !whole);
  const needle = nameNeedle(words.map(({ text }) => text));
  return needle === undefined ? new Map<number, NameMatch>() : index.findNames(needle, allowed);
}
