import { stem as porter2 } from 'porter2';

/** Forms that no rule of suffixes brings together, under the form that stands for all of them. */
const IRREGULAR: ReadonlyMap<string, string> = new Map(
  Object.entries({
    analyze: 'analysis analyses analyse analysed analysing analytic analytics analytical analyzer',
    begin: 'began begun',
    bring: 'brought',
    build: 'built',
    buy: 'bought',
    catalog: 'catalogue catalogues catalogued',
    center: 'centre centres',
    child: 'children',
    choose: 'chose chosen',
    color: 'colour colours colored coloured',
    create: 'creation creations creator creators',
    criterion: 'criteria',
    draw: 'drew drawn',
    favorite: 'favourite favourites',
    find: 'found',
    get: 'got gotten',
    give: 'gave given',
    go: 'went gone',
    hear: 'heard',
    hold: 'held',
    index: 'indices indexes',
    keep: 'kept',
    know: 'knew known',
    license: 'licence licences',
    make: 'made',
    matrix: 'matrices',
    normalize: 'normalise normalised',
    optimize: 'optimise optimised optimisation optimization',
    organize: 'organise organised organisation organization organizations organisations',
    pay: 'paid',
    person: 'people persons',
    read: 'reader',
    run: 'ran',
    schema: 'schemata schemas',
    search: 'searcher',
    see: 'saw seen',
    sell: 'sold',
    send: 'sent',
    speak: 'spoke spoken',
    spend: 'spent',
    summarize: 'summarise summary summaries summarised summarization summarisation',
    take: 'took taken',
    tell: 'told',
    translate: 'translation translations translator',
    vertex: 'vertices',
    visualize: 'visualise visualisation visualization visualizations visualisations',
    write: 'wrote written writer',
  }).flatMap(([form, others]) => others.split(' ').map((other) => [other, form] as const)),
);

const ENGLISH = /^[a-z]{3,}$/;

/** Stems that were worked out lately: the same words come again and again. */
const known = new Map<string, string>();
const MAX_KNOWN = 20_000;

/** What the inflected forms of a folded English word have in common; other words stay as they are. */
export function stem(word: string): string {
  let found = known.get(word);
  if (found === undefined) {
    found = ENGLISH.test(word) ? porter2(IRREGULAR.get(word) ?? word) : word;
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(word, found);
  }
  return found;
}
