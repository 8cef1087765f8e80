import sql from 'sql-template-tag';
import { addBits, type Bits, dropBits, emptyBits, keepBits } from '../search/bits.ts';
import { fold } from '../search/fold.ts';
import type { Query, Term } from '../search/grammar.ts';
import type { Connection } from './database.ts';

/** Every tag or category of a catalogue, once, with its folded form. */
interface Labels {
  version: number;
  tags: [label: string, folded: string][];
  categories: [label: string, folded: string][];
}

/** The ids of tools by what their tags and categories hold. They are few: no index is needed. */
export function createLabels(db: Connection) {
  let known: Labels | undefined;

  function current(): Labels {
    const { catalogue: version } = db.versions();
    if (known?.version === version) return known;
    const tags = db.column<string>(sql`select distinct tag from tool_tags`);
    const categories = db.column<string>(sql`select distinct category from tools`);
    known = { version, tags: tags.map(withFolded), categories: categories.map(withFolded) };
    return known;
  }

  /** The ids of tools with a tag or a category in which the text stands. Call it inside `db.read`. */
  return function idsWith({ text }: Term): number[] {
    const { tags, categories } = current();
    const holding = (labels: Labels['tags']) =>
      JSON.stringify(labels.filter(([, folded]) => folded.includes(text)).map(([label]) => label));
    const [inTags, inCategories] = [holding(tags), holding(categories)];
    if (inTags === '[]' && inCategories === '[]') return [];
    return db.column(sql`select id from tools
      where category in (select value from json_each(${inCategories}))
      union select tool from tool_tags where tag in (select value from json_each(${inTags}))`);
  };
}

function withFolded(label: string): [string, string] {
  return [label, fold(label)];
}

/** What a query finds when each of its terms finds what `find` says. */
export function findByTerms(query: Query, among: Bits, find: (term: Term) => Bits): Bits {
  const all = emptyBits(among.length * 32);
  for (const branch of query) {
    const bits = among.slice();
    for (const term of branch) (term.exclude ? dropBits : keepBits)(bits, find(term));
    addBits(all, bits);
  }
  return all;
}
