import { LRUCache } from 'lru-cache';
import { addBits, type Bits, dropBits, emptyBits, forEachBit, keepBits, setBit } from './bits.ts';
import { createDictionary } from './dictionary.ts';
import type { Query, Term } from './grammar.ts';
import { growingWords, push, reserve } from './growing.ts';
import { createPhraseText, type Run } from './phrase-text.ts';
import { createPostings } from './postings.ts';

/** So few tools are looked at one by one, which costs less than going through the dictionary. */
const FEW = 400;
const RECENT = 32;
/** Of a longer phrase the beginning is looked for first: each part takes a pass over the dictionary. */
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
    if (!few && term.parts.length > 0) {
      const run = runOf(term);
      for (const set of run.pieces) keepBits(candidates, slotsHaving(set, among.length * 32));
      const includes = holds;
      holds = (slot) => texts.hasRun(slot, run) && (term.isWhole || includes(slot));
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

  /** The parts of a phrase with the white space before, between and behind them. */
  function runOf({ parts, spaces }: Bytes): Run {
    const last = parts.length;
    return {
      pieces: parts.map((part, at) => piecesOf(part, spaces[at] !== '', spaces[at + 1] !== '')),
      spaces: spaces.map((space, at) => {
        if (space === '') return undefined;
        if (at === 0) return texts.spacesLike((text) => text.endsWith(space));
        if (at === last) return texts.spacesLike((text) => text.startsWith(space));
        return texts.spacesLike((text) => text === space);
      }),
    };
  }

  function slotsHaving(set: Bits, count: number): Bits {
    const found = emptyBits(count);
    forEachBit(set, (piece) => postings.addTo(found, piece));
    return found;
  }

  function slotsOfBranch(branch: readonly Term[], live: Bits): Bits {
    const found = live.slice();
    // Long words are the rarest and the fastest to look for.
    const terms = distinct(branch)
      .map(toBytes)
      .sort((a, b) => b.rank - a.rank);
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

function distinct(terms: readonly Term[]): Term[] {
  return [...new Map(terms.map((term) => [`${term.exclude} ${term.text}`, term])).values()];
}

interface Bytes {
  text: Buffer;
  /** Has no white space, so it can only lie inside a piece. */
  isPiece: boolean;
  /** The pieces between white space, the first of many. */
  parts: Buffer[];
  /** The white space before each part and behind the last, '' for none or any. */
  spaces: string[];
  /** Whether these parts are all. */
  isWhole: boolean;
  exclude: boolean;
  /** The higher, the earlier it should be looked for. */
  rank: number;
}

function toBytes({ text, exclude }: Term): Bytes {
  const [lead = '', trail = ''] = [/^[\t-\r ]+/, /[\t-\r ]+$/].map((each) => each.exec(text)?.[0]);
  const middle = text.slice(lead.length, text.length - trail.length).split(/([\t-\r ]+)/);
  const parts = middle.filter((_, at) => at % 2 === 0 && middle[0] !== '');
  const between = middle.filter((_, at) => at % 2 === 1);
  const isWhole = parts.length <= MANY_PARTS;
  const isPiece = parts[0] === text;
  const longest = Math.max(0, ...parts.map((part) => part.length));
  return {
    text: Buffer.from(text),
    isPiece,
    parts: parts.slice(0, MANY_PARTS).map((part) => Buffer.from(part)),
    spaces: isWhole ? [lead, ...between, trail] : [lead, ...between.slice(0, MANY_PARTS)],
    isWhole,
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
