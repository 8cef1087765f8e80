import { writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import type { Options } from './options.ts';
import type { Ratio } from './rounds.ts';

/** One measured number and its bound. */
export interface Figure {
  name: string;
  value: number;
  unit: '' | 's' | 'MB';
  atLeast?: number;
  atMost?: number;
  pass: boolean;
}

/** `bound` is `{ atLeast }` or `{ atMost }`. */
export function figure(
  name: string,
  value: number,
  unit: Figure['unit'],
  bound: { atLeast: number } | { atMost: number },
): Figure {
  const pass = 'atLeast' in bound ? value >= bound.atLeast : value <= bound.atMost;
  return { name, value, unit, ...bound, pass };
}

/** Writes `results.json` and `RESULTS.md` beside the benchmark, and prints the table. */
export function report(options: Options, figures: Figure[], loads: Record<string, Ratio>): void {
  const machine = {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    date: new Date().toISOString().slice(0, 10),
  };
  const table = [
    '| figure | measured | bound | |',
    '| --- | ---: | ---: | --- |',
    ...figures.map(
      (each) => `| ${each.name} | ${shown(each)} | ${bound(each)} | ${verdict(each)} |`,
    ),
  ].join('\n');
  const details = [
    '| load | ours, answers/s | bare, answers/s | ratio | ratio by CPU time | ours p50 / p99 ms |',
    '| --- | ---: | ---: | ---: | ---: | ---: |',
    ...Object.entries(loads).flatMap(([name, { rounds, ratio, cpuRatio }]) => {
      const of = (pick: (round: Ratio['rounds'][number]) => number) =>
        Math.round(rounds.reduce((sum, round) => sum + pick(round), 0) / rounds.length);
      const slowest = Math.max(...rounds.map(({ ours }) => ours.p99Ms));
      return `| ${name} | ${of(({ ours }) => ours.perSecond)} | ${of(({ bare }) => bare.perSecond)} | ${ratio.toFixed(3)} | ${cpuRatio.toFixed(3)} | ${of(({ ours }) => ours.p50Ms)} / ${slowest} |`;
    }),
  ].join('\n');
  const text = `# Benchmark results

${options.tools.toLocaleString('en')} tools, ${options.rounds} rounds of ${options.seconds} s. ${machine.date}, ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, Node ${machine.node}.

${table}

${details}

## How it is measured

\`npm run bench\` does all of it; nothing is taken from an earlier run.

- The tools are synthetic and seeded: 25 categories, descriptions of about 150 characters with some
  of over 1 KB, up to eight parameters, very uneven usage numbers. \`toolcrib import\` brings them in.
- The server runs on one core (\`taskset\`) with Basic auth and its JSON log in a file; autocannon
  loads it from another core over 32 connections.
- A ratio compares with a bare Fastify on the same core: the same logger and one line a request, no
  other work, and a ready-made body. On the hot page that is the very body of ours; on the other
  loads a real one of average size. Both get the same requests in turns; a ratio is the median of
  the rounds. Speeds alone say little, since they depend on the machine.
- "Ratio by CPU time" compares answers for each second of the server's own processor time. It stays
  the same when other programs take time away; where it is much lower than the ratio, the load
  generator was the limit.
- Pages: any place in the list, with or without a category, seven sorts, both orders; no page comes
  twice but by chance. A sample of the answers is checked first, and any answer but 2xx is a fault.
- Start: from spawn to the first 200 of \`/readyz\`, the median of three. Memory: resident set.
`;
  const folder = new URL('.', import.meta.url);
  writeFileSync(new URL('RESULTS.md', folder), text);
  const results = { machine, options, figures, loads };
  writeFileSync(new URL('results.json', folder), `${JSON.stringify(results, null, 2)}\n`);
  console.log(`\n${table}\n\n${details}`);
}

function shown({ value, unit }: Figure): string {
  const digits = unit === '' ? 3 : unit === 's' ? 2 : 0;
  return `${value.toFixed(digits)} ${unit}`.trim();
}

function bound({ atLeast, atMost, unit }: Figure): string {
  return `${atLeast === undefined ? `≤ ${atMost}` : `≥ ${atLeast}`} ${unit}`.trim();
}

function verdict({ pass }: Figure): string {
  return pass ? 'pass' : '**missed**';
}
