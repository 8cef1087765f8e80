// `npm run relevance -- DIR [--json]`: how well searches find what people call relevant, ours beside
// others. docs/search.md says what the sets in DIR must look like.
import { parseArgs } from 'node:util';
import { bootstrap } from './bootstrap.ts';
import { ENGINES } from './engines.ts';
import { evaluate } from './evaluate.ts';
import { type Measures, meanOf, measure, ndcgAt10 } from './measures.ts';
import { readSets } from './sets.ts';

const OURS = 'toolcrib';
const YARDSTICK = 'fts5-tuned';
const COLUMNS: readonly (keyof Measures)[] = [
  'ndcg10',
  'recall1',
  'recall5',
  'recall10',
  'mrr',
  'empty',
  'p50',
  'p95',
];

const { values, positionals } = parseArgs({
  options: { json: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const [folder, ...rest] = positionals;
if (folder === undefined || rest.length > 0) {
  console.error('Usage: npm run relevance -- DIR [--json]');
  process.exit(2);
}

const sets = readSets(folder);
const results: Record<string, Record<string, Measures>> = {};
const gains = new Map<string, number[]>();
for (const [engine, start] of Object.entries(ENGINES)) {
  const ofSets: Record<string, Measures> = {};
  const all: number[] = [];
  for (const set of sets) {
    const answers = await evaluate(start, set);
    ofSets[set.name] = measure(answers);
    all.push(...answers.map(ndcgAt10));
  }
  results[engine] = { ...ofSets, mean: meanOf(Object.values(ofSets)) };
  gains.set(engine, all);
}
console.log(values.json ? JSON.stringify(results) : tables().join('\n'));

function tables(): string[] {
  const lines: string[] = [];
  for (const set of [...sets.map(({ name }) => name), 'mean']) {
    lines.push(
      '',
      `| ${set} | ${COLUMNS.join(' | ')} |`,
      `| --- |${' ---: |'.repeat(COLUMNS.length)}`,
    );
    for (const [engine, ofSets] of Object.entries(results)) {
      const cells = COLUMNS.map((column) => {
        const value = ofSets[set]?.[column] ?? 0;
        return column === 'p50' || column === 'p95' ? `${value.toFixed(1)} ms` : value.toFixed(3);
      });
      lines.push(`| ${engine} | ${cells.join(' | ')} |`);
    }
  }
  const yardstick = gains.get(YARDSTICK) ?? [];
  const { mean, low, high } = bootstrap(
    (gains.get(OURS) ?? []).map((gain, at) => gain - (yardstick[at] ?? 0)),
  );
  const bounds = [low, high].map((bound) => bound.toFixed(3)).join(' to ');
  lines.push(
    '',
    `ndcg10 of ${OURS} over ${YARDSTICK}, all queries: ${mean.toFixed(3)} (95 %: ${bounds})`,
  );
  return lines;
}
