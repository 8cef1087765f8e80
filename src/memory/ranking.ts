import { fold } from '../search/fold.ts';
import type { MemoryReader } from '../store/memory-reader.ts';
import type { MemoryType, StoredMemory } from '../store/memory-rows.ts';
import { type AskedWord, type Candidates, findCandidates } from './candidates.ts';
import { type CloseLook, lookAt } from './closeness.ts';
import { hasLiteral, type MemoryQuery } from './query.ts';

/** So many of the best by words alone are looked at closely; with literals, so many have them. */
const CLOSE_LOOK = 100;
const MAX_WITH_LITERALS = 1_000;

/** What is added to a score for a word in the label, and for a pair, by how telling they are. */
const IN_LABEL = 2;
const PAIR = 0.3;

/**
 * The strict bar, and what counts beside the covered part of the query: being about the one that the
 * query names, words that stay together, each word; a word that nobody wrote takes away.
 */
export const BAR = 0.61;
const ABOUT = 0.1;
const TOGETHER = 0.1;
const EACH_WORD = 0.02;
const UNKNOWN_WORD = 0.06;
/** A word that is this often in labels where it is at all names whom texts are about. */
const NAMES_SUBJECT = 0.3;

/** A memory that has words of the query. */
export interface RankedMemory {
  memory: StoredMemory;
  /** 0 to 1, with 4 decimals; higher answers better. */
  score: number;
  /** What the bar looks at: the covered part of the query, by weight, and additions to it. */
  strength: number;
  /** Whether it has all literals. */
  hasLiterals: boolean;
  look: CloseLook;
}

export interface Ranking {
  words: readonly AskedWord[];
  /** The best, in order. */
  ranked: readonly RankedMemory[];
  /** How many have at least one of the words. */
  total: number;
  /** How many of them do not come up to a bar. */
  countBelow(bar: number): number;
}

export interface RankOptions {
  path?: string;
  types?: readonly MemoryType[];
  /** Words that nobody wrote are taken for ones that are much alike. */
  forgiving?: boolean;
  /** Of memories that answer equally well, working ones come first. */
  preferWorking?: boolean;
  /** The id of a memory that is looked at whatever its place. */
  also?: number;
}

/** Ranks what a reader sees by a query. */
export function rankMemories(
  reader: MemoryReader,
  query: MemoryQuery,
  { path, types, forgiving = false, preferWorking = false, also }: RankOptions,
): Ranking {
  const filter = { ...(path !== undefined && { path }), ...(types !== undefined && { types }) };
  const candidates = findCandidates(reader, query, filter, forgiving);
  const { words } = candidates;
  const literals = forgiving ? [] : query.literals;
  const looked = closest(reader, candidates, literals, also);
  const subjects = subjectsOf(words, looked);
  const ranked = looked.map(({ memory, look, base, hasLiterals }): RankedMemory => {
    const strength = strengthOf(words, look, subjects);
    const score = scoreOf(words, look, base);
    return { memory, score, strength, hasLiterals, look };
  });
  ranked.sort((a, b) => byRelevance(a, b, preferWorking));
  return {
    words,
    ranked,
    total: candidates.ids.length,
    countBelow(bar) {
      const isBelow = (one: RankedMemory) => !one.hasLiterals || one.strength < bar;
      const seen = new Set(looked.map(({ memory }) => memory.id));
      const sums = sumsOf(words);
      // Of those that were not looked at closely, by their words alone; without the literals, none.
      const unseen = candidates.ids.filter(
        (id, place) =>
          !seen.has(id) && (literals.length > 0 || plainStrength(sums, candidates, place) < bar),
      );
      return ranked.filter(isBelow).length + unseen.length;
    },
  };
}

/** The contents of the best; when there are literals, those that have them come first. */
function closest(
  reader: MemoryReader,
  { words, ids, scores }: Candidates,
  literals: MemoryQuery['literals'],
  also?: number,
) {
  const order = ids.map((_, place) => place);
  const best = firstOf(order, literals.length > 0 ? MAX_WITH_LITERALS : CLOSE_LOOK, scores);
  const extra = also === undefined ? -1 : ids.indexOf(also);
  if (extra >= 0) best.push(extra);
  const bases = new Map(best.map((place) => [ids[place] as number, scores[place] as number]));
  const memories = reader.byIds([...bases.keys()]).map((memory) => {
    const folded = literals.length > 0 ? fold(memory.content) : '';
    const hasLiterals = literals.every((literal) => hasLiteral(folded, literal));
    return { memory, base: bases.get(memory.id) ?? 0, hasLiterals };
  });
  return memories
    .sort((a, b) => Number(b.hasLiterals) - Number(a.hasLiterals) || b.base - a.base)
    .filter(({ memory }, at) => at < CLOSE_LOOK || memory.id === also)
    .map((one) => ({ ...one, look: lookAt(one.memory.content, words) }));
}

/** The places with the best scores; of equals the last ones, which are newer. */
function firstOf(places: readonly number[], limit: number, scores: readonly number[]): number[] {
  const byScore = (a: number, b: number) => (scores[b] as number) - (scores[a] as number) || b - a;
  let best: number[] = [];
  let lowest = 0;
  for (const place of places) {
    if ((scores[place] as number) < lowest) continue;
    best.push(place);
    if (best.length < 4 * limit) continue;
    best = best.sort(byScore).slice(0, limit);
    lowest = scores[best.at(-1) as number] as number;
  }
  return best.sort(byScore).slice(0, limit);
}

/** The places of words that name whom texts are about, as far as the candidates show. */
function subjectsOf(words: readonly AskedWord[], looked: readonly { look: CloseLook }[]): number[] {
  return words.flatMap(({ text }, place) => {
    const having = looked.filter(({ look }) => look.has[place]).length;
    const labelled = looked.filter(({ look }) => look.inLabel[place]).length;
    const isSubject = having > 0 && labelled / having > NAMES_SUBJECT && !/^\p{N}/u.test(text);
    return isSubject ? [place] : [];
  });
}

function strengthOf(
  words: readonly AskedWord[],
  { has, inLabel, pairs }: CloseLook,
  subjects: readonly number[],
): number {
  const own = words.filter((_, place) => has[place]);
  const covered = own.reduce((sum, { idf }) => sum + idf, 0);
  const about = subjects.length === 0 ? 0.5 : Number(subjects.some((place) => inLabel[place]));
  return wordStrength(sumsOf(words), covered, own.length) + ABOUT * about + TOGETHER * pairs.length;
}

/** The same without a look at the content. */
function plainStrength(sums: WordSums, { covered, counts }: Candidates, place: number): number {
  return wordStrength(sums, covered[place] ?? 0, counts[place] ?? 0) + ABOUT / 2;
}

interface WordSums {
  idf: number;
  hasUnknown: boolean;
}

function sumsOf(words: readonly AskedWord[]): WordSums {
  return {
    idf: words.reduce((sum, { idf }) => sum + idf, 0),
    hasUnknown: words.some(({ frequency }) => frequency === 0),
  };
}

function wordStrength({ idf, hasUnknown }: WordSums, covered: number, count: number): number {
  if (idf === 0) return 0;
  return covered / idf + EACH_WORD * count - (hasUnknown ? UNKNOWN_WORD : 0);
}

function scoreOf(words: readonly AskedWord[], { inLabel, pairs }: CloseLook, base: number): number {
  const all = words.reduce((sum, { idf }) => sum + idf, 0);
  let score = base;
  for (const [place, { idf }] of words.entries()) if (inLabel[place]) score += IN_LABEL * idf;
  for (const place of pairs) {
    score += (PAIR * ((words[place - 1]?.idf ?? 0) + (words[place]?.idf ?? 0))) / 2;
  }
  return all === 0 ? 0 : Math.round((score / (score + all)) * 1e4) / 1e4;
}

/** The better score first; at the same to three decimals working ones if so wished, then newer ones. */
function byRelevance(a: RankedMemory, b: RankedMemory, preferWorking: boolean): number {
  const isWorking = ({ memory }: RankedMemory) => Number(memory.memory_type === 'working');
  if (preferWorking) {
    const [one, other] = [Math.round(a.score * 1e3), Math.round(b.score * 1e3)];
    if (one !== other) return other - one;
    if (isWorking(a) !== isWorking(b)) return isWorking(b) - isWorking(a);
  }
  return (
    b.score - a.score || b.memory.created_at - a.memory.created_at || b.memory.id - a.memory.id
  );
}
