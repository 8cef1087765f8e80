import { idf } from '../search/query-words.ts';
import type { MemoryReader } from '../store/memory-reader.ts';
import { MEMORY_TYPES, type MemoryType } from '../store/memory-rows.ts';
import { RECORD, unpackInfo } from '../store/word-records.ts';
import type { MemoryQuery } from './query.ts';
import { related } from './related-words.ts';

/** How fast a repeated word stops to count, and how much longer memories are held back. */
const K1 = 0.7;
const B = 0.4;
/** What a form of a word counts that is only much alike. */
const RELATED = 0.5;

/** A word of the query as the caller's memories know it. */
export interface AskedWord {
  text: string;
  /** The stems in the index that stand for it, and what they count. */
  stems: readonly string[];
  factor: number;
  /** In how many memories it stands, and how telling that makes it. */
  frequency: number;
  idf: number;
}

/** Memories that have at least one of the words. */
export interface Candidates {
  words: readonly AskedWord[];
  ids: readonly number[];
  /** By the place in `ids`. */
  scores: readonly number[];
  /** The sum of `idf` of the words that it has, and how many those are. */
  covered: readonly number[];
  counts: readonly number[];
}

/**
 * Finds what has words of the query and scores it by them alone (BM25). Frequencies are of what the
 * reader sees; `path` and `types` narrow only what is found.
 * @param forgiving words that nobody wrote are taken for ones that are much alike.
 */
export function findCandidates(
  reader: MemoryReader,
  query: MemoryQuery,
  { path, types }: { path?: string; types?: readonly MemoryType[] },
  forgiving: boolean,
): Candidates {
  const { memories, words: total, below } = reader.indexed();
  const paths = path === undefined ? undefined : below(path);
  const codes = types && new Set(types.map((type) => MEMORY_TYPES.indexOf(type)));
  const averageLength = Math.max(1, total / Math.max(1, memories));
  const places = new Map<number, number>();
  const ids: number[] = [];
  const scores: number[] = [];
  const covered: number[] = [];
  const counts: number[] = [];

  const found = lookUp(reader, query, forgiving);
  const words = found.map(({ text, stems, factor, lists }) => {
    const frequency = lists.length === 1 ? (lists[0]?.length ?? 0) / RECORD : distinct(lists);
    const weight = idf(frequency, memories);
    // Of several stems for one word, a memory counts the first that it has.
    const seen = lists.length > 1 ? new Set<number>() : undefined;
    for (const records of lists) {
      for (let at = 0; at < records.length; at += RECORD) {
        const id = records[at] as number;
        const { length, count, type } = unpackInfo(records[at + 2] as number);
        if (paths !== undefined && !paths.has(records[at + 1] as number)) continue;
        if (codes !== undefined && !codes.has(type)) continue;
        if (seen?.has(id)) continue;
        seen?.add(id);
        const norm = K1 * (1 - B + (B * length) / averageLength);
        const score = (factor * weight * (count * (K1 + 1))) / (count + norm);
        const place = places.get(id);
        if (place === undefined) {
          places.set(id, ids.length);
          ids.push(id);
          scores.push(score);
          covered.push(weight);
          counts.push(1);
        } else {
          scores[place] = (scores[place] as number) + score;
          covered[place] = (covered[place] as number) + weight;
          counts[place] = (counts[place] as number) + 1;
        }
      }
    }
    return { text, stems, factor, frequency, idf: weight };
  });
  return { words, ids, scores, covered, counts };
}

/** Each word with the records of what stands for it: itself, its parts, or what is much alike. */
function lookUp(reader: MemoryReader, query: MemoryQuery, forgiving: boolean) {
  return query.words.flatMap(({ text, stem, parts }) => {
    const own = reader.records(stem);
    if (own.length > 0) return [{ text, stems: [stem], factor: 1, lists: [own] }];
    if (parts.length > 0) {
      return parts.map((part) => ({
        text: part,
        stems: [part],
        factor: 1,
        lists: [reader.records(part)],
      }));
    }
    const stems = forgiving ? related(reader, stem) : [];
    const lists = stems.map((each) => reader.records(each));
    return [{ text, stems: stems.length > 0 ? stems : [stem], factor: RELATED, lists }];
  });
}

function distinct(lists: readonly Uint32Array[]): number {
  const ids = new Set<number>();
  for (const records of lists) {
    for (let at = 0; at < records.length; at += RECORD) ids.add(records[at] as number);
  }
  return ids.size;
}
