import { type Bits, hasBit } from './bits.ts';
import type { Dictionary } from './dictionary.ts';
import { growingBytes, growingWords, push } from './growing.ts';

/** Codes before those of pieces: where a field begins; white space other than one space. */
const FIELD = 0;
const SPACE = 1;
const FIRST_PIECE = 2;
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
  let run = new Uint32Array(1024);

  function endsRun(sets: readonly Bits[], count: number): boolean {
    // The last one is known to be there.
    for (let at = sets.length - 2; at >= 0; at -= 1) {
      if (!hasBit(sets[at] as Bits, run[count - sets.length + at] as number)) return false;
    }
    return true;
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
    const { values } = codes;
    const end = slot + 1 < starts.length ? (starts.values[slot + 1] as number) : codes.length;
    let at = starts.values[slot] as number;
    let length = 0;
    let afterPiece = false;

    function read(): number {
      let value = 0;
      for (let shift = 0; ; shift += 7) {
        const byte = values[at] as number;
        at += 1;
        value += (byte & 0x7f) * 2 ** shift;
        if (byte < 0x80) return value;
      }
    }

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
    /** Whether pieces follow each other, a space between two: the first out of the first set, and so on. */
    hasRun(slot: number, sets: readonly Bits[]): boolean {
      const { values } = codes;
      const end = slot + 1 < starts.length ? (starts.values[slot + 1] as number) : codes.length;
      const last = sets[sets.length - 1] as Bits;
      let count = 0;
      for (let at = starts.values[slot] as number; at < end; ) {
        let byte = values[at] as number;
        let code = byte & 0x7f;
        at += 1;
        // Of 28 bits at most: no catalogue has more different pieces.
        for (let shift = 7; byte >= 0x80; shift += 7) {
          byte = values[at] as number;
          code |= (byte & 0x7f) << shift;
          at += 1;
        }
        if (code < FIRST_PIECE) {
          count = 0;
          // What follows is the number of the space.
          if (code === SPACE) while ((values[at] as number) >= 0x80) at += 1;
          if (code === SPACE) at += 1;
          continue;
        }
        run[count] = code - FIRST_PIECE;
        count += 1;
        const ends = count >= sets.length && hasBit(last, code - FIRST_PIECE);
        if (ends && endsRun(sets, count)) return true;
        if (count === run.length) run = doubled(run);
      }
      return false;
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
