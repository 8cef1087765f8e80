import {
  addBits,
  type Bits,
  clearBit,
  dropBits,
  emptyBits,
  hasBit,
  keepBits,
  setBit,
} from './bits.ts';
import type { Query, Term } from './grammar.ts';
import { growingBytes, growingWords, push, reserve } from './growing.ts';
import { matchName, type NameMatch, prefixLength } from './name-match.ts';
import { createSpelling } from './spelling.ts';
import { createTextIndex } from './text-index.ts';
import { createWordIndex } from './word-index.ts';

/** What is indexed of a tool; texts as UTF-8. */
export interface IndexedTool {
  id: number;
  name: Uint8Array;
  /** What `search` looks into, folded: the name and the description. */
  texts: readonly Uint8Array[];
  /** What `query` looks into beside those, folded: the category and the tags. */
  labels: readonly Uint8Array[];
  /** What `encodeToolWords` gave. */
  words: Uint8Array;
}

export type SearchIndex = ReturnType<typeof createSearchIndex>;

/** Room in the sets of slots for what comes next, so that they need not grow with every tool. */
const SPARE_SLOTS = 1024;
/** Room for a name. */
const NAME_BYTES = 48;

/**
 * All tools, indexed in memory for both ways of searching. Each tool has a slot, a number that is
 * never used again: a change gives it the next one, and the former is dead. When much is dead it is
 * time for a new index. There is room for about `expected` tools.
 */
export function createSearchIndex(expected = 0) {
  const texts = createTextIndex(expected);
  // Few and short, so that it need not have room in advance.
  const labels = createTextIndex();
  const words = createWordIndex(expected);
  const spelling = createSpelling(words.words);
  const slots = new Map<number, number>();
  const ids = growingWords(expected);
  const names = growingBytes(expected * NAME_BYTES);
  const nameStarts = growingWords();
  // How far into the name of a slot the prefix of its server reaches.
  const prefixes = growingBytes();
  let live: Bits = emptyBits(SPARE_SLOTS);
  let sealedSlots: number | undefined;

  function endOf(slot: number): number {
    return slot + 1 < nameStarts.length ? (nameStarts.values[slot + 1] as number) : names.length;
  }

  function name(slot: number): Uint8Array {
    return names.values.subarray(nameStarts.values[slot], endOf(slot));
  }

  function slotsOfBranch(branch: readonly Term[]): Bits {
    const found = live.slice();
    for (const term of branch) {
      const slots = texts.findTerm(term, found);
      addBits(slots, labels.findTerm(term, found));
      if (term.exclude) dropBits(found, slots);
      else keepBits(found, slots);
    }
    return found;
  }

  function remove(id: number): void {
    const slot = slots.get(id);
    if (slot === undefined) return;
    slots.delete(id);
    clearBit(live, slot);
    words.remove(slot);
  }

  return {
    texts,
    words,
    spelling,

    /** Adds a tool, or puts it in the place of its former self. */
    put(tool: IndexedTool): void {
      remove(tool.id);
      const slot = ids.length;
      push(ids, tool.id);
      slots.set(tool.id, slot);
      push(nameStarts, names.length);
      push(prefixes, prefixLength(tool.name));
      reserve(names, names.length + tool.name.length);
      names.values.set(tool.name, names.length);
      names.length += tool.name.length;
      texts.add(slot, tool.texts);
      labels.add(slot, tool.labels);
      words.add(slot, tool.words);
      if (slot >= live.length * 32) {
        const grown = emptyBits(Math.ceil(slot * 1.2) + SPARE_SLOTS);
        grown.set(live);
        live = grown;
      }
      setBit(live, slot);
    },

    remove,

    /** Makes what was put so far compact. Only the first call does. */
    seal(): void {
      if (sealedSlots !== undefined) return;
      sealedSlots = ids.length;
      texts.seal();
      labels.seal();
      words.seal();
    },

    /** Whether so much changed since `seal` that a new index would be smaller and faster. */
    get isWorn(): boolean {
      const changed = ids.length - (sealedSlots ?? 0) + (ids.length - slots.size);
      return changed > Math.max(5_000, slots.size / 2);
    },

    /** All slots of tools that are there. Not to be changed, and not to be kept. */
    get live(): Bits {
      return live;
    },
    get slotCount(): number {
      return ids.length;
    },
    idOf: (slot: number): number => ids.values[slot] as number,
    slotOf: (id: number): number | undefined => slots.get(id),
    name,

    /** The slots of `among` whose name is, or begins with, the words. */
    findNames(needle: Uint8Array, among: Bits): Map<number, NameMatch> {
      const found = new Map<number, NameMatch>();
      for (let slot = 0; slot < ids.length; slot += 1) {
        const start = nameStarts.values[slot] as number;
        const end = endOf(slot);
        const prefix = prefixes.values[slot] as number;
        let match = matchName(names.values, start, end, needle);
        if (match !== 'equal' && prefix > 0) {
          match = matchName(names.values, start + prefix, end, needle) ?? match;
        }
        if (match !== undefined && hasBit(among, slot)) found.set(slot, match);
      }
      return found;
    },

    /** Orders the names of two slots by code point. */
    compareNames(one: number, other: number): number {
      let at = nameStarts.values[one] as number;
      let otherAt = nameStarts.values[other] as number;
      const [end, otherEnd] = [endOf(one), endOf(other)];
      for (; at < end && otherAt < otherEnd; at += 1, otherAt += 1) {
        const difference = (names.values[at] as number) - (names.values[otherAt] as number);
        if (difference !== 0) return difference;
      }
      return end - at - (otherEnd - otherAt);
    },

    /** The slots that match; all of them when the query is empty. */
    find: (query: Query): Bits => texts.find(query, live),

    /** The slots that match when a term may also stand in a label. */
    findWithLabels(query: Query): Bits {
      if (query.length === 0) return live.slice();
      const found = emptyBits(live.length * 32);
      for (const branch of query) addBits(found, slotsOfBranch(branch));
      return found;
    },
  };
}

/** The first `count` of the slots in `order` that are in `bits`, after passing over `skip` of them. */
export function pageOf(
  order: ArrayLike<number>,
  bits: Bits,
  skip: number,
  count: number,
): number[] {
  const page: number[] = [];
  let left = skip;
  for (let at = 0; at < order.length && page.length < count; at += 1) {
    const slot = order[at] as number;
    if (!hasBit(bits, slot)) continue;
    if (left > 0) left -= 1;
    else page.push(slot);
  }
  return page;
}
