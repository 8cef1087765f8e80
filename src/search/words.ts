import { fold, safeToNormalize } from './fold.ts';

/** Longer runs are no words: keys, hashes, encoded files. In UTF-16 units. */
const MAX_WORD = 64;
/** No run of an unspaced script goes on so long without a comma. */
const MAX_RUN = 4096;

/** Where an identifier has an inner capital: fooBar, HTTPServer. */
const HUMP = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;
/** An emoji is a word, since it may be all that someone types. */
const RUN = /[\p{L}\p{N}\p{M}]+|\p{Extended_Pictographic}/gu;
/** Scripts that put no space between words, and Hangul, whose words carry particles. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー々]+/gu;
const ONE_PART: readonly string[] = [];
const PLAIN = /^[\x00-\x7f]*$/;
const PLAIN_RUN = /[A-Za-z0-9]+/g;
const PLAIN_HUMP = /(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/;
const SINGLE = /^[a-z0-9]+$/;

/** A word of a text, folded. */
export interface Word {
  readonly text: string;
  /** Stands beside its own parts, as `github` beside `git` and `hub` of GitHub. */
  readonly whole: boolean;
}

/**
 * The words of a text in their order: identifiers come in their parts (`create_issue`,
 * `createIssue`, `create-issue` alike; one with inner capitals also whole), runs of Chinese, Japanese,
 * Korean and other unspaced scripts as overlapping pairs.
 * @param enough no run is looked at after so many words.
 */
export function toWords(text: string, enough = Number.POSITIVE_INFINITY): Word[] {
  const words: Word[] = [];
  if (PLAIN.test(text)) {
    for (const [run] of text.matchAll(PLAIN_RUN)) {
      addPlain(words, run);
      if (words.length >= enough) break;
    }
    return words;
  }
  for (const [run] of safeToNormalize(text).normalize('NFC').matchAll(RUN)) {
    if (words.length >= enough) break;
    const parts = run === run.toLowerCase() ? ONE_PART : run.split(HUMP);
    if (parts.length < 2) addWords(words, run, false);
    else {
      addWords(words, run, true);
      for (const part of parts) addWords(words, part, false);
    }
  }
  return words;
}

/** The same as below for ASCII, which nearly all texts are of, in a third of the time. */
function addPlain(words: Word[], run: string): void {
  const lower = run.toLowerCase();
  const parts = run === lower ? ONE_PART : run.split(PLAIN_HUMP);
  if (parts.length < 2) add(words, lower, false);
  else {
    add(words, lower, true);
    for (const part of parts) add(words, part.toLowerCase(), false);
  }
}

function addWords(words: Word[], run: string, whole: boolean): void {
  const folded = fold(run.slice(0, MAX_RUN)).slice(0, MAX_RUN);
  if (PLAIN.test(folded)) {
    if (SINGLE.test(folded)) add(words, folded, whole);
    else for (const text of folded.split(/[^a-z0-9]+/)) add(words, text, whole);
    return;
  }
  // Folding can bring other characters, such as the spaces in ﷺ.
  for (const [piece] of folded.matchAll(RUN)) {
    let end = 0;
    for (const match of piece.matchAll(UNSPACED)) {
      add(words, piece.slice(end, match.index), whole);
      if (!whole) addPairs(words, match[0]);
      end = match.index + match[0].length;
    }
    add(words, piece.slice(end), whole);
  }
}

function add(words: Word[], text: string, whole: boolean): void {
  if (text !== '' && text.length <= MAX_WORD) words.push({ text, whole });
}

function addPairs(words: Word[], run: string): void {
  const characters = [...run];
  if (characters.length === 1) add(words, run, false);
  for (let at = 1; at < characters.length; at += 1) {
    add(words, `${characters[at - 1]}${characters[at]}`, false);
  }
}

/** True for one character of a script that is indexed in pairs. */
export function isUnspacedCharacter(word: string): boolean {
  return [...word].length === 1 && word.replace(UNSPACED, '') === '';
}

/** True for two characters of such a script, as they stand in a run. */
export function isUnspacedPair(word: string): boolean {
  return !PLAIN.test(word) && [...word].length === 2 && word.replace(UNSPACED, '') === '';
}
