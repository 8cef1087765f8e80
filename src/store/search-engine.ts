import { LRUCache } from 'lru-cache';
import sql, { empty, type Sql } from 'sql-template-tag';
import {
  type Bits,
  countBits,
  dropBits,
  emptyBits,
  forEachBit,
  keepBits,
  setBit,
} from '../search/bits.ts';
import { explainWords } from '../search/explain.ts';
import { FUSED, fuse } from '../search/fusion.ts';
import type { Query } from '../search/grammar.ts';
import { byScore, firstOf, nameRank } from '../search/order.ts';
import { type Ranked, rank } from '../search/relevance.ts';
import { createSearchIndex, pageOf, type SearchIndex } from '../search/search-index.ts';
import type { Connection } from './database.ts';
import { createLabels, findByTerms } from './labels.ts';
import { changesSince } from './tool-changes.ts';
import {
  followsUsage,
  orderBy,
  RELEVANCE,
  stampOf,
  type ToolFilter,
  type ToolPageQuery,
  type ToolPageRows,
  type ToolSort,
  where,
} from './tool-queries.ts';
import { shownTools } from './tools.ts';
import { createUtf8 } from './utf8.ts';
import { createVectorFollower } from './vector-follower.ts';

/** So few matches are sorted by the engine; for more, the order of all tools is read once and kept. */
const FEW = 500;

const NOTHING = new Uint8Array(0);

type IndexRow = [number, string, string | null, string | null, Uint8Array | null];

/** What was worked out for one state of the store. */
interface Stamped<Value> {
  stamp: string;
  value: Value;
}

/**
 * Searching over an index in memory that follows the store: each search first brings in what was
 * written since the last one, by whatever process. The index is read at the first search.
 */
export function createSearchEngine(db: Connection) {
  let known: { index: SearchIndex; version: number } | undefined;
  const orders = new LRUCache<string, Stamped<Uint32Array>>({ max: 4 });
  const filters = new LRUCache<string, Stamped<Bits>>({ max: 16 });
  const vectors = createVectorFollower(db);
  const idsWithLabel = createLabels(db);

  /** Call it inside `db.read`. */
  function current(): SearchIndex {
    const { catalogue } = db.versions();
    if (known?.version === catalogue) return known.index;
    const changed = known && changesSince(db, known.version, catalogue);
    if (known === undefined || changed === undefined) return load(catalogue);
    const { index } = known;
    for (const id of changed) index.remove(id);
    put(index, sql`where tools.id in (select value from json_each(${JSON.stringify(changed)}))`);
    if (index.isWorn) return load(catalogue);
    known.version = catalogue;
    return index;
  }

  function load(version: number): SearchIndex {
    // The former one first, so that there are never two in memory.
    known = undefined;
    const [tools = 0] = db.column<number>(sql`select count(*) from tools`);
    const index = createSearchIndex(tools);
    put(index, empty);
    index.seal();
    known = { index, version };
    return index;
  }

  function put(index: SearchIndex, condition: Sql): void {
    const query = sql`select tools.id, tools.name, tool_texts.name, description, words
      from tools
      left join tool_texts on tool_texts.id = tools.id
      left join tool_words on tool_words.id = tools.id ${condition} order by tools.id`;
    const rows = db.raw
      .prepare<unknown[]>(query.sql)
      .raw()
      .iterate(...query.values);
    const utf8 = createUtf8();
    for (const row of rows) {
      const [id, name, foldedName, description, words] = row as IndexRow;
      utf8.start();
      const nameBytes = utf8.encode(name);
      const texts = [utf8.encode(foldedName ?? ''), utf8.encode(description ?? '')];
      index.put({ id, name: nameBytes, texts, words: words ?? NOTHING });
    }
  }

  /** The slots of tools that pass all filters but the search. */
  function passing(index: SearchIndex, filter: ToolFilter): Bits {
    const stamp = stampOf(db.versions(), followsUsage(filter, 'name'));
    return kept(filters, JSON.stringify(filter), stamp, () => {
      const { status, ...others } = filter;
      if (status !== 'active') return slotsOf(index, where(filter));
      // Nearly all are active, and an index tells the few that are not.
      const isAlone = Object.keys(others).length === 0;
      const bits = isAlone ? index.live.slice() : slotsOf(index, where(others));
      dropBits(bits, slotsOf(index, sql`where status <> 'active'`));
      return bits;
    });
  }

  function slotsOf(index: SearchIndex, condition: Sql): Bits {
    const bits = emptyBits(index.live.length * 32);
    for (const id of db.column<number>(sql`select id from tools ${condition}`)) {
      const slot = index.slotOf(id);
      if (slot !== undefined) setBit(bits, slot);
    }
    return bits;
  }

  /** As the index finds, but each term may also stand in a tag or the category. */
  function findAnywhere(index: SearchIndex, query: Query): Bits {
    return findByTerms(query, index.live, (term) => {
      const found = index.find([[{ ...term, exclude: false }]]);
      for (const id of idsWithLabel(term)) {
        const slot = index.slotOf(id);
        if (slot !== undefined) setBit(found, slot);
      }
      return found;
    });
  }

  /** All slots in the order of a sort. */
  function inOrder(index: SearchIndex, sort: ToolSort, order: 'asc' | 'desc'): Uint32Array {
    const stamp = stampOf(db.versions(), followsUsage({}, sort));
    return kept(orders, `${sort} ${order}`, stamp, () => {
      const ids = db.column<number>(sql`select id from tools ${orderBy(sort, order)}`);
      return Uint32Array.from(ids, (id) => index.slotOf(id) ?? 0);
    });
  }

  function sortedIds(ids: readonly number[], sort: ToolSort, order: 'asc' | 'desc'): number[] {
    return db.column(sql`select tools.id from json_each(${JSON.stringify(ids)}) as found
      join tools on tools.id = found.value ${orderBy(sort, order)}`);
  }

  /** In the order of a column. */
  function sorted(index: SearchIndex, query: ToolPageQuery & { sort: ToolSort }): ToolPageRows {
    const { filter, sort, order, size, from } = query;
    const { search = [], in_labels, ...others } = filter;
    const bits = in_labels ? findAnywhere(index, search) : index.find(search);
    if (Object.keys(others).length > 0) keepBits(bits, passing(index, others));
    const total = countBits(bits);
    if (total > FEW) {
      const slots = pageOf(inOrder(index, sort, order), bits, from, size);
      return { tools: shownTools(db, slots.map(index.idOf)), total };
    }
    const ids: number[] = [];
    forEachBit(bits, (slot) => ids.push(index.idOf(slot)));
    return { tools: shownTools(db, sortedIds(ids, sort, order).slice(from, from + size)), total };
  }

  /** In the order of relevance. */
  function ranked(index: SearchIndex, query: ToolPageQuery): ToolPageRows {
    const { filter, order, size, from, explain = false, meaning } = query;
    const { search = [], ...others } = filter;
    const among = Object.keys(others).length > 0 ? passing(index, others) : index.live;
    const byWords = rank(index, search, among);
    const near = meaning && vectors.nearest(index, meaning, search, among);
    const { slots, scores, words } =
      near === undefined ? byWords : fuse(byWords, best(index, byWords, FUSED), near);
    const page = firstOf(slots, from + size, (one, other) =>
      byScore(index, scores, one, other, order),
    ).slice(from);
    return {
      tools: shownTools(db, page.map(index.idOf)),
      total: slots.length,
      isHybrid: near !== undefined,
      relevance: page.map((slot) => {
        const score = Math.round((scores[slot] as number) * 10_000) / 10_000;
        if (!explain) return { score };
        const reasons = explainWords(index.words, words, slot);
        const name = nameRank(scores[slot] as number);
        return { score, explanation: { ...(name && { name }), words: reasons } };
      }),
    };
  }

  return {
    /** A page of the tools that match the filter's search, and how many do, all of one moment. */
    find(query: ToolPageQuery): ToolPageRows {
      return db.read(() => {
        const { sort } = query;
        return sort === RELEVANCE
          ? ranked(current(), query)
          : sorted(current(), { ...query, sort });
      });
    },
  };
}

function best(index: SearchIndex, { slots, scores }: Ranked, count: number): number[] {
  return firstOf(slots, count, (one, other) => byScore(index, scores, one, other));
}

/** The value of the key for this state of the store, made anew when there is none. */
function kept<Value extends object>(
  cache: LRUCache<string, Stamped<Value>>,
  key: string,
  stamp: string,
  make: () => Value,
): Value {
  const entry = cache.get(key);
  if (entry?.stamp === stamp) return entry.value;
  const value = make();
  cache.set(key, { stamp, value });
  return value;
}
