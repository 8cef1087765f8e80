import { validationError } from '../errors.ts';
import { fold } from '../search/fold.ts';
import { stem } from '../search/stem.ts';
import { isStopWordOfMemories } from '../search/stop-words.ts';
import { toWords, type Word } from '../search/words.ts';

/** In code points. */
export const MAX_MEMORY_QUERY = 4_096;
const MAX_WORDS = 64;

/** What a query asks for. */
export interface MemoryQuery {
  /** Each distinct word that says something (or all words, when none does), in order. */
  words: readonly { text: string; stem: string; parts: readonly string[] }[];
  /** Folded texts that a strict hit must have as they are: quoted phrases, and names of code. */
  literals: readonly { text: string; isPhrase: boolean }[];
}

/** @throws AppError ValidationError: blank or too long. */
export function parseMemoryQuery(query: string): MemoryQuery {
  if (query.trim() === '') throw fault('Query must not be blank');
  if (query.length > MAX_MEMORY_QUERY && [...query].length > MAX_MEMORY_QUERY) {
    throw fault(`Query must have at most ${MAX_MEMORY_QUERY} characters`);
  }
  return { words: wordsOf(query), literals: literalsOf(query) };
}

function wordsOf(query: string): MemoryQuery['words'] {
  const all = joined(toWords(query));
  const telling = all.filter(({ text }) => !isStopWordOfMemories(text));
  const words = new Map<string, MemoryQuery['words'][number]>();
  for (const { text, parts } of telling.length > 0 ? telling : all) {
    const key = stem(text);
    if (!words.has(key)) words.set(key, { text, stem: key, parts: parts.map(stem) });
    if (words.size === MAX_WORDS) break;
  }
  return [...words.values()];
}

/** Words, each with its parts behind it when it has inner capitals: `GitHub` with git and hub. */
function joined(words: readonly Word[]): { text: string; parts: string[] }[] {
  const result: { text: string; parts: string[] }[] = [];
  let open: { text: string; parts: string[] } | undefined;
  for (const { text, whole } of words) {
    if (whole) {
      open = { text, parts: [] };
      result.push(open);
    } else if (open?.text.startsWith(open.parts.join('') + text)) open.parts.push(text);
    else {
      open = undefined;
      result.push({ text, parts: [] });
    }
  }
  return result;
}

/** What is written as code is: with _ or inner capitals, letters and digits mixed, a file or path. */
const CODE =
  /^(?=.*[\p{L}\p{N}])(\S*_\S*|\S*\p{Ll}\p{Lu}\S*|(?=\S*\p{L})(?=\S*\p{N})[\p{L}\p{N}.\-/:]+|\S+\.\p{L}{1,5}|(\S*\/){2,}\S*)$/u;
const AROUND = /^[^\p{L}\p{N}_/.$-]+|[^\p{L}\p{N}_/]+$/gu;
/** 8th, 2pm, 90s: numbers as people write them. */
const SPOKEN_NUMBER = /^\d+[\p{L}]{1,2}$/u;

function literalsOf(query: string): MemoryQuery['literals'] {
  const phrases = [...query.matchAll(/"([^"]*)"/g)].map(([, phrase = '']) => phrase.trim());
  const tokens = query
    .replace(/"[^"]*"/g, ' ')
    .split(/\s+/u)
    .map((token) => token.replace(AROUND, ''));
  const codes = tokens.filter((token) => CODE.test(token) && !SPOKEN_NUMBER.test(token));
  return [
    ...phrases.filter((text) => text !== '').map((text) => ({ text: fold(text), isPhrase: true })),
    ...codes.map((text) => ({ text: fold(text), isPhrase: false })),
  ];
}

/** Whether a folded content has the literal; a name of code not as a part of another one. */
export function hasLiteral(
  folded: string,
  { text, isPhrase }: MemoryQuery['literals'][number],
): boolean {
  if (isPhrase) return folded.includes(text);
  for (let at = folded.indexOf(text); at >= 0; at = folded.indexOf(text, at + 1)) {
    const before = folded.slice(Math.max(0, at - 1), at);
    const after = folded.slice(at + text.length, at + text.length + 1);
    if (!/[\p{L}\p{N}_]/u.test(before) && !/[\p{L}\p{N}_]/u.test(after)) return true;
  }
  return false;
}

function fault(reason: string) {
  return validationError('Invalid query parameters', [{ field: 'query', reason }]);
}
