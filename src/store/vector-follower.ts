import { type Bits, keepBits } from '../search/bits.ts';
import type { Query } from '../search/grammar.ts';
import type { SearchIndex } from '../search/search-index.ts';
import { createVectorIndex, type Near, type VectorIndex } from '../search/vectors.ts';
import type { Connection } from './database.ts';

/** So many tools can come in by their meaning, and only those that are nearly as near as the nearest. */
const NEAREST = 20;
const NEARLY = 0.75;

/** The vectors of one model in memory, following the store as the index of words does. */
export function createVectorFollower(db: Connection) {
  let known:
    | { vectors: VectorIndex; index: SearchIndex; slots: number; model: string; version: number }
    | undefined;

  /** Call it inside `db.read`. */
  function current(index: SearchIndex, model: string): VectorIndex {
    const { vectors: version } = db.versions();
    if (known?.index !== index || known.model !== model || known.version > version) {
      known = { vectors: createVectorIndex(), index, slots: 0, model, version: 0 };
    }
    if (known.version === version && known.slots === index.slotCount) return known.vectors;
    // A tool in a new slot may have its old vector: one whose definition is the same as before.
    const changed = Array.from({ length: index.slotCount - known.slots }, (_, at) =>
      index.idOf((known?.slots ?? 0) + at),
    );
    const rows = db.raw
      .prepare<unknown[]>(
        `select known.id, known.vector from tool_vectors as known
        join tools on tools.id = known.id and tools.revision = known.revision
        where known.model = ? and (known.version > ? or known.id in (select value from json_each(?)))`,
      )
      .raw()
      .iterate(model, known.version, JSON.stringify(known.version === 0 ? [] : changed));
    for (const row of rows) {
      const [id, vector] = row as [number, Buffer];
      const slot = index.slotOf(id);
      if (slot !== undefined) known.vectors.add(slot, vector);
    }
    known.version = version;
    known.slots = index.slotCount;
    return known.vectors;
  }

  return {
    /**
     * The tools nearest in meaning among those that phrases and exclusions let through; undefined when
     * no tool has a vector that this one can be compared with.
     */
    nearest(
      index: SearchIndex,
      { model, vector }: { model: string; vector: Uint8Array },
      search: Query,
      among: Bits,
    ): Near[] | undefined {
      const vectors = current(index, model);
      if (!vectors.isComparable(vector)) return undefined;
      const binding = search.map((branch) =>
        branch.filter(({ phrase, exclude }) => phrase || exclude),
      );
      const allowed = among.slice();
      if (!binding.some((branch) => branch.length === 0)) keepBits(allowed, index.find(binding));
      const near = vectors.nearest(vector, allowed, NEAREST);
      const least = Math.max(0, NEARLY * (near[0]?.nearness ?? 0));
      return near.filter(({ nearness }) => nearness > 0 && nearness >= least);
    },
  };
}
