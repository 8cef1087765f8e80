import { type Bits, hasBit } from './bits.ts';
import type { Dictionary } from './dictionary.ts';
import { growingBytes, growingWords, push } from './growing.ts';

/** Codes before those of pieces: where a field begins; white space other than one space. */
const FIELD = 0;
const SPACE = 1;
const FIRST_PIECE = 2;
/** What is before or behind a piece: the border of its field, one space, or from here on another space. */
const BORDER = 0;
const ONE_SPACE = 1;
const OTHER_SPACE = 2;

/** Pieces in a row with what may be between them. */
export interface Run {
  /** For each place the pieces that may stand there. */
  pieces: readonly Bits[];
  /** What may be before each piece, and behind the last, as `spacesLike` gives it; undefined for anything. */
  spaces: readonly (Uint8Array | undefined)[];
}

/** Room for the codes of a slot. */
const SLOT_BYTES = 128;

/**
 * The texts of all slots as numbers of their pieces: a third of their size, and fast enough to write
 * out again where a phrase has to be looked for. One space between two pieces is not written down.
 */
export function createPhraseText(pieces: Dictionary, expected = 0) {
  const codes = growingBytes(expected * SLOT_BYTES);
  const starts = growingWords(expected);
  const spaces: Uint8Array[] = [];
  const spaceNumbers = new Map<string, number>();
  let scratch = Buffer.alloc(32 * 1024);
  // Where in the codes is read.
  let at = 0;
  // The pieces of a field as they are read, and what is before each.
  let row = new Uint32Array(1024);
  let before = new Uint32Array(1024);
  let count = 0;

  /** Goes to the first code of a slot. @returns where they end. */
  function open(slot: number): number {
    at = starts.values[slot] as number;
    return slot + 1 < starts.length ? (starts.values[slot + 1] as number) : codes.length;
  }

  function read(): number {
    const { values } = codes;
    let byte = values[at] as number;
    let value = byte & 0x7f;
    at += 1;
    // Of 28 bits at most: no catalogue has more different pieces.
    for (let shift = 7; byte >= 0x80; shift += 7) {
      byte = values[at] as number;
      value |= (byte & 0x7f) << shift;
      at += 1;
    }
    return value;
  }

  /** Whether the pieces read so far, of which there are enough, with this behind them, end in a run. */
  function endsRun({ pieces: sets, spaces: allowed }: Run, behind: number): boolean {
    const first = count - sets.length;
    let space = behind;
    for (let place = sets.length - 1; place >= 0; place -= 1) {
      if (!hasBit(sets[place] as Bits, row[first + place] as number)) return false;
      if (allowed[place + 1]?.[space] === 0) return false;
      space = before[first + place] as number;
    }
    return allowed[0]?.[space] !== 0;
  }

  function write(value: number): void {
    let rest = value;
    while (rest > 0x7f) {
      push(codes, (rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    push(codes, rest);
  }

  /** Calls `visit` with each field of a slot until it gives true. */
  function someField(slot: number, visit: (text: Buffer) => boolean): boolean {
    const end = open(slot);
    let length = 0;
    let afterPiece = false;

    function append(source: Uint8Array, from: number, count: number): void {
      if (length + count + 1 > scratch.length) {
        scratch = Buffer.concat([scratch], 2 * (length + count + 1));
      }
      for (let index = 0; index < count; index += 1) {
        scratch[length + index] = source[from + index] as number;
      }
      length += count;
    }

    const view = pieces.view();
    let isFirst = true;
    while (at < end) {
      const code = read();
      if (code === FIELD) {
        if (!isFirst && visit(scratch.subarray(0, length))) return true;
        isFirst = false;
        length = 0;
        afterPiece = false;
      } else if (code === SPACE) {
        const space = spaces[read()] ?? new Uint8Array(0);
        append(space, 0, space.length);
        afterPiece = false;
      } else {
        if (afterPiece) {
          scratch[length] = 0x20;
          length += 1;
        }
        append(view, pieces.start(code - FIRST_PIECE), pieces.length(code - FIRST_PIECE));
        afterPiece = true;
      }
    }
    return !isFirst && visit(scratch.subarray(0, length));
  }

  return {
    /** Begins the next slot. */
    startSlot: (): void => push(starts, codes.length),
    startField: (): void => write(FIELD),
    addPiece: (piece: number): void => write(piece + FIRST_PIECE),
    /** White space that is anything but one space between two pieces. */
    addSpace(bytes: Uint8Array, from: number, to: number): void {
      const key = Buffer.from(bytes.subarray(from, to)).toString('latin1');
      let number = spaceNumbers.get(key);
      if (number === undefined) {
        number = spaces.length;
        spaces.push(Uint8Array.from(bytes.subarray(from, to)));
        spaceNumbers.set(key, number);
      }
      write(SPACE);
      write(number);
    },
    /** For each kind of white space 1 when `isLike` holds of it, for a Run. */
    spacesLike(isLike: (space: string) => boolean): Uint8Array {
      const like = new Uint8Array(OTHER_SPACE + spaces.length);
      if (isLike(' ')) like[ONE_SPACE] = 1;
      for (const [text, number] of spaceNumbers) if (isLike(text)) like[OTHER_SPACE + number] = 1;
      return like;
    },

    /** Whether a field of the slot has a run in it. */
    hasRun(slot: number, wanted: Run): boolean {
      const end = open(slot);
      const last = wanted.pieces[wanted.pieces.length - 1] as Bits;
      const { values } = codes;
      // What is behind a piece is known only when it is read: the end of a run waits for it.
      let isEnd = false;
      let space = BORDER;
      count = 0;
      while (at < end) {
        const byte = values[at] as number;
        const code = byte < 0x80 ? byte : read();
        if (byte < 0x80) at += 1;
        if (code >= FIRST_PIECE) {
          if (isEnd && endsRun(wanted, ONE_SPACE)) return true;
          if (count === row.length) row = doubled(row);
          if (count === before.length) before = doubled(before);
          row[count] = code - FIRST_PIECE;
          before[count] = space;
          count += 1;
          isEnd = count >= wanted.pieces.length && hasBit(last, code - FIRST_PIECE);
          space = ONE_SPACE;
          continue;
        }
        space = code === SPACE ? OTHER_SPACE + read() : BORDER;
        if (isEnd && endsRun(wanted, space)) return true;
        isEnd = false;
        if (code === FIELD) count = 0;
      }
      return isEnd && endsRun(wanted, BORDER);
    },
    /** Whether one of the slot's texts has these bytes in it. */
    includes: (slot: number, needle: Buffer): boolean =>
      someField(slot, (text) => text.includes(needle)),
    /** The slot's texts. */
    textsOf(slot: number): string[] {
      const found: string[] = [];
      someField(slot, (text) => {
        found.push(text.toString());
        return false;
      });
      return found;
    },
  };
}

function doubled(values: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const grown = new Uint32Array(2 * values.length);
  grown.set(values);
  return grown;
}
