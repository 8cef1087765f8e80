import { fold } from './fold.ts';

/** The longest filter text, in characters (code points). */
export const MAX_QUERY_CHARACTERS = 1024;
/** The most terms of a filter text, excluded ones included. */
export const MAX_QUERY_TERMS = 32;

/** A word or phrase to look for inside a text. */
export interface Term {
  /** Folded, never empty. */
  readonly text: string;
  /** As it was typed: its capitals tell where an identifier has its parts. */
  readonly raw: string;
  /** Was in quotes, so it may hold white space. */
  readonly phrase: boolean;
  /** Must not occur. */
  readonly exclude: boolean;
}

/** Branches, of which one must hold; a branch holds when all of its terms do. No branch is empty. */
export type Query = readonly (readonly Term[])[];

/** The query, or why the text is none; whoever asked knows the name of the field. */
export type ParsedQuery = { readonly query: Query } | { readonly reason: string };

/** At a term's start: a phrase up to the next quote or the end, or all up to white space. */
const TOKEN = /(?<minus>-?)"(?<phrase>[^"]*)(?:"|$)|\S+/g;
const OR = 'OR';

/**
 * Parses the filter grammar of `search` and `query`. No text is a syntax error: what has no meaning
 * as an operator is a plain word. A blank text gives a query without branches, which means "not
 * applied"; a text of quotes around nothing is refused, since its writer meant to look for something.
 * In a `sentence`, of whose plain words one is enough, all plain words of a branch count as one, and
 * beside a phrase or an exclusion not at all.
 */
export function parseQuery(raw: string, { sentence = false } = {}): ParsedQuery {
  if (isTooLong(raw)) {
    return { reason: `Must have at most ${MAX_QUERY_CHARACTERS} characters` };
  }
  const query = toBranches(toTokens(raw));
  if (query.length === 0 && raw.trim() !== '') {
    return { reason: 'Must have at least one search term' };
  }
  const count = query.reduce((sum, branch) => sum + (sentence ? weigh(branch) : branch.length), 0);
  if (count > MAX_QUERY_TERMS) {
    return { reason: `Must have at most ${MAX_QUERY_TERMS} search terms` };
  }
  return { query };
}

/**
 * Whether a tool with these folded texts is found. This is the meaning of a query; what a store
 * does in SQL must agree with it. No text is looked at across the border to the next.
 */
export function matches(query: Query, fields: readonly string[]): boolean {
  const holds = ({ text, exclude }: Term) =>
    fields.some((field) => field.includes(text)) !== exclude;
  return query.length === 0 || query.some((branch) => branch.every(holds));
}

function weigh(branch: readonly Term[]): number {
  return Math.max(1, branch.filter(({ phrase, exclude }) => phrase || exclude).length);
}

function isTooLong(raw: string): boolean {
  // A code point has at most two code units: no need to count those of a text that is far too long.
  return raw.length > 2 * MAX_QUERY_CHARACTERS || [...raw].length > MAX_QUERY_CHARACTERS;
}

function toTokens(raw: string): (Term | typeof OR)[] {
  const tokens: (Term | typeof OR)[] = [];
  for (const { 0: token, groups } of raw.matchAll(TOKEN)) {
    const phrase = groups?.['phrase'];
    if (token === OR) {
      tokens.push(OR);
    } else if (phrase === undefined) {
      const exclude = token.length > 1 && token.startsWith('-');
      const word = exclude ? token.slice(1) : token;
      tokens.push({ text: fold(word), raw: word, phrase: false, exclude });
    } else if (phrase.trim() !== '') {
      const exclude = groups?.['minus'] === '-';
      tokens.push({ text: fold(phrase), raw: phrase, phrase: true, exclude });
    }
  }
  return tokens;
}

/** Splits at each OR that has a term on both sides; any other is the word "or". */
function toBranches(tokens: readonly (Term | typeof OR)[]): Query {
  const branches: Term[][] = [];
  let branch: Term[] = [];
  for (const [index, token] of tokens.entries()) {
    if (token !== OR) {
      branch.push(token);
    } else if (branch.length === 0 || index === tokens.length - 1) {
      branch.push({ text: fold(OR), raw: OR, phrase: false, exclude: false });
    } else {
      branches.push(branch);
      branch = [];
    }
  }
  return branch.length === 0 ? branches : [...branches, branch];
}
