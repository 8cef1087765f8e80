import { LRUCache } from 'lru-cache';
import { addBits, type Bits, dropBits, emptyBits, forEachBit, keepBits, setBit } from './bits.ts';
import { createDictionary } from './dictionary.ts';
import type { Query, Term } from './grammar.ts';
import { growingWords, push, reserve } from './growing.ts';
import { createPhraseText } from './phrase-text.ts';
import { createPostings } from './postings.ts';

/** So few tools are looked at one by one, which costs less than going through the dictionary. */
const FEW = 400;
const RECENT = 32;
/** A phrase of more parts is looked for by its longest ones first: each takes a pass over the dictionary. */
const MANY_PARTS = 16;
/** Room for the pieces of a slot, and for those that no other slot has. */
const EACH = 96;
const DISTINCT = 4;
const SPACE = 0x20;
const ONE_SPACE = Buffer.of(SPACE);

/**
 * Finds what matches a query of the grammar: exactly the slots of which `matches` holds.
 * The index is a dictionary of the pieces between white space, and for each the slots that have it:
 * a word without white space lies inside such a piece, so one pass over the dictionary finds its
 * slots, however short it is. Phrases with white space are looked for in the texts of those slots
 * that have all of their pieces.
 */
export function createTextIndex(expected = 0) {
  const pieces = createDictionary(expected * DISTINCT);
  const postings = createPostings(expected * EACH);
  const texts = createPhraseText(pieces, expected);
  // The slot that had a piece last: a slot is listed once for each piece.
  const lastSlots = growingWords();
  // The further pages of a list ask for the same again.
  const recent = new LRUCache<string, Bits>({ max: RECENT });

  function addPiece(slot: number, bytes: Uint8Array, from: number, to: number): void {
    const piece = pieces.intern(bytes, from, to);
    if (piece >= lastSlots.length) {
      reserve(lastSlots, piece + 1);
      push(lastSlots, 0);
    }
    texts.addPiece(piece);
    // Slots count from 0, so 0 can stand for "none" only when they are moved by one.
    if (lastSlots.values[piece] === slot + 1) return;
    lastSlots.values[piece] = slot + 1;
    postings.add(piece, slot);
  }

  /** The slots with a piece that has the needle in it. Not to be changed. */
  function slotsWith(needle: Buffer, count: number): Bits {
    const key = needle.toString('latin1');
    const former = recent.get(key);
    if (former !== undefined && former.length * 32 === count) return former;
    const found = emptyBits(count);
    const view = pieces.view();
    let piece = 0;
    for (let at = view.indexOf(needle); at >= 0; ) {
      piece = pieces.numberAt(at, piece);
      postings.addTo(found, piece);
      at = view.indexOf(needle, pieces.start(piece + 1));
    }
    recent.set(key, found);
    return found;
  }

  /** The slots in which a term stands, of those of `among`. */
  function slotsOf(term: Bytes, among: Bits, few: boolean): Bits {
    if (!few && term.isPiece) {
      const found = among.slice();
      keepBits(found, slotsWith(term.text, among.length * 32));
      return found;
    }
    const candidates = among.slice();
    let holds = (slot: number) => texts.includes(slot, term.text);
    if (!few && term.isRun) {
      const sets = term.parts.map((part, at) => piecesOf(part, at > 0, at < term.parts.length - 1));
      for (const set of sets) keepBits(candidates, slotsHaving(set, among.length * 32));
      holds = (slot) => texts.hasRun(slot, sets);
    } else if (!few) {
      for (const part of term.parts) keepBits(candidates, slotsWith(part, among.length * 32));
    }
    const found = emptyBits(among.length * 32);
    forEachBit(candidates, (slot) => {
      if (holds(slot)) setBit(found, slot);
    });
    return found;
  }

  /** The pieces that begin, end, or begin and end with a part of a phrase: spaces are around each. */
  function piecesOf(part: Buffer, isBegin: boolean, isEnd: boolean): Bits {
    const found = emptyBits(pieces.size);
    const view = pieces.view();
    const behind = isEnd ? Buffer.concat([part, ONE_SPACE]) : part;
    const needle = isBegin ? Buffer.concat([ONE_SPACE, behind]) : behind;
    // But before the first.
    if (isBegin && view.subarray(0, behind.length).equals(behind)) setBit(found, 0);
    let piece = 0;
    for (let at = view.indexOf(needle); at >= 0; at = view.indexOf(needle, at + 1)) {
      piece = pieces.numberAt(isBegin ? at + 1 : at, piece);
      setBit(found, piece);
    }
    return found;
  }

  function slotsHaving(set: Bits, count: number): Bits {
    const found = emptyBits(count);
    forEachBit(set, (piece) => postings.addTo(found, piece));
    return found;
  }

  function slotsOfBranch(branch: readonly Term[], live: Bits): Bits {
    const found = live.slice();
    // Long words are the rarest and the fastest to look for.
    const terms = branch.map(toBytes).sort((a, b) => b.rank - a.rank);
    for (const term of terms) {
      const slots = slotsOf(term, found, isFew(found));
      if (term.exclude) dropBits(found, slots);
      else keepBits(found, slots);
    }
    return found;
  }

  return {
    /** Adds a slot's folded texts, as UTF-8. Slots come in ascending order. */
    add(slot: number, fields: readonly Uint8Array[]): void {
      recent.clear();
      texts.startSlot();
      for (const field of fields) {
        texts.startField();
        for (let from = 0; from < field.length; ) {
          const isSpace = isWhite(field[from] as number);
          let to = from + 1;
          while (to < field.length && isWhite(field[to] as number) === isSpace) to += 1;
          const isPlain = from > 0 && to < field.length && to - from === 1 && field[from] === SPACE;
          if (!isSpace) addPiece(slot, field, from, to);
          else if (!isPlain) texts.addSpace(field, from, to);
          from = to;
        }
      }
    },

    seal: () => postings.seal(pieces.size),

    /** The slots of `live` that match; all of them when the query is empty. */
    find(query: Query, live: Bits): Bits {
      const [first, ...others] = query;
      if (first === undefined) return live.slice();
      const found = slotsOfBranch(first, live);
      for (const branch of others) addBits(found, slotsOfBranch(branch, live));
      return found;
    },

    /** The slots of `live` with a term, as `find` does for a query of one term. */
    findTerm: (term: Term, live: Bits): Bits => slotsOf(toBytes(term), live, isFew(live)),

    /** The texts of a slot as they were added. */
    textsOf: (slot: number): string[] => texts.textsOf(slot),
  };
}

interface Bytes {
  text: Buffer;
  /** The pieces between white space, or the longest of many. */
  parts: Buffer[];
  /** Has no white space, so it can only lie inside a piece. */
  isPiece: boolean;
  /** Is these parts with one space between two. */
  isRun: boolean;
  exclude: boolean;
  /** The higher, the earlier it should be looked for. */
  rank: number;
}

function toBytes({ text, exclude }: Term): Bytes {
  const parts = text.split(/[\t-\r ]+/).filter((part) => part !== '');
  const isPiece = parts.length === 1 && parts[0] === text;
  const longest = Math.max(0, ...parts.map((part) => part.length));
  const telling =
    parts.length <= MANY_PARTS
      ? parts
      : [...new Set(parts)].sort((a, b) => b.length - a.length).slice(0, MANY_PARTS);
  return {
    text: Buffer.from(text),
    parts: telling.map((part) => Buffer.from(part)),
    isPiece,
    isRun: parts.length > 1 && parts.length <= MANY_PARTS && parts.join(' ') === text,
    exclude,
    // Exclusions make a set hardly smaller; phrases are dear until it is small.
    rank: longest - (exclude ? 10_000 : 0) - (isPiece ? 0 : 5_000),
  };
}

function isWhite(byte: number): boolean {
  return byte === SPACE || (byte >= 0x09 && byte <= 0x0d);
}

function isFew(bits: Bits): boolean {
  let left = FEW;
  for (let at = 0; at < bits.length && left >= 0; at += 1) {
    for (let word = bits[at] as number; word !== 0 && left >= 0; word &= word - 1) left -= 1;
  }
  return left >= 0;
}
