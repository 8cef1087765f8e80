import { type Bits, setBit } from './bits.ts';
import { growingShorts, growingWords, push } from './growing.ts';

/** For one term the slots that have it, ascending, and what is known of it there. */
export interface PostingList {
  slots: ArrayLike<number>;
  notes: ArrayLike<number>;
}

/**
 * Inverted lists: compact arrays for what was added before `seal`, growing ones for what comes
 * afterwards, for about `expected` entries. Nothing is taken out; whoever reads passes over slots that are dead.
 */
export function createPostings(expected = 0) {
  let pending: ReturnType<typeof createPending> | undefined = createPending(expected);
  let starts = new Uint32Array(1);
  let slots = new Uint32Array(0);
  let notes = new Uint16Array(0);
  const later = new Map<number, { slots: number[]; notes: number[] }>();

  function addLater(term: number, slot: number, note: number): void {
    const list = later.get(term);
    if (list === undefined) later.set(term, { slots: [slot], notes: [note] });
    else {
      list.slots.push(slot);
      list.notes.push(note);
    }
  }

  return {
    /** Slots must come in ascending order. */
    add(term: number, slot: number, note = 0): void {
      if (pending === undefined) {
        addLater(term, slot, note);
        return;
      }
      push(pending.terms, term);
      push(pending.slots, slot);
      push(pending.notes, note);
    },

    /** Sorts by term what was added so far. */
    seal(termCount: number): void {
      if (pending === undefined) return;
      const { terms, slots: givenSlots, notes: givenNotes } = pending;
      pending = undefined;
      starts = new Uint32Array(termCount + 1);
      for (let at = 0; at < terms.length; at += 1) {
        const next = (terms.values[at] as number) + 1;
        starts[next] = (starts[next] as number) + 1;
      }
      for (let term = 0; term < termCount; term += 1) {
        starts[term + 1] = (starts[term + 1] as number) + (starts[term] as number);
      }
      const ends = starts.slice();
      slots = new Uint32Array(terms.length);
      notes = new Uint16Array(terms.length);
      for (let at = 0; at < terms.length; at += 1) {
        const term = terms.values[at] as number;
        const place = ends[term] as number;
        ends[term] = place + 1;
        slots[place] = givenSlots.values[at] as number;
        notes[place] = givenNotes.values[at] as number;
      }
    },

    /** Puts the slots of a term into a set. */
    addTo(bits: Bits, term: number): void {
      if (term < starts.length - 1) {
        const end = starts[term + 1] as number;
        for (let at = starts[term] as number; at < end; at += 1) setBit(bits, slots[at] as number);
      }
      for (const slot of later.get(term)?.slots ?? []) setBit(bits, slot);
    },

    /** At most two lists, the later slots in the second. */
    lists(term: number): PostingList[] {
      const lists: PostingList[] = [];
      if (term < starts.length - 1) {
        const [from, to] = [starts[term] as number, starts[term + 1] as number];
        if (to > from) {
          lists.push({ slots: slots.subarray(from, to), notes: notes.subarray(from, to) });
        }
      }
      const added = later.get(term);
      if (added !== undefined) lists.push(added);
      return lists;
    },
  };
}

function createPending(expected: number) {
  return {
    terms: growingWords(expected),
    slots: growingWords(expected),
    notes: growingShorts(expected),
  };
}
