import assert from 'node:assert/strict';

export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

export interface Family {
  help: string;
  type: string;
  samples: Sample[];
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const HEAD = new RegExp(`^# (HELP|TYPE) (${NAME}) (.+)$`);
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(.*)\\})? (\\S+)$`);
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(,|$)/y;
const SUFFIXES = ['_bucket', '_sum', '_count'];

/** Reads Prometheus' text format 0.0.4 strictly: families whole, series once, histograms sound. */
export function parseExposition(text: string): Map<string, Family> {
  assert.ok(text.endsWith('\n'), 'the last line must end');
  const families = new Map<string, Family>();
  const series = new Set<string>();
  let current = '';
  for (const line of text.split('\n').filter((one) => one !== '')) {
    const [, kind, name = '', rest = ''] = HEAD.exec(line) ?? [];
    if (kind === 'HELP') {
      assert.ok(!families.has(name), `${name} comes twice`);
      families.set(name, { help: rest, type: '', samples: [] });
      current = name;
    } else if (kind === 'TYPE') {
      const family = families.get(name);
      assert.ok(family && name === current && family.samples.length === 0, line);
      assert.match(rest, /^(counter|gauge|histogram|summary|untyped)$/);
      family.type = rest;
    } else {
      const sample = parseSample(line);
      const family = families.get(current);
      assert.ok(family?.type, `no family for ${line}`);
      const suffixes = family.type === 'histogram' ? SUFFIXES : [''];
      const of = suffixes.some((suffix) => sample.name === current + suffix);
      assert.ok(of, `${line} is not of ${current}`);
      const key = seriesKey(sample);
      assert.ok(!series.has(key), `${key} comes twice`);
      series.add(key);
      family.samples.push(sample);
    }
  }
  for (const [name, family] of families) {
    if (family.type === 'counter') assert.match(name, /_total$/);
    if (family.type === 'histogram') assertHistogram(name, family.samples);
  }
  return families;
}

/** The value of the one series with exactly these labels; undefined when there is none. */
export function sampleOf(
  families: ReadonlyMap<string, Family>,
  name: string,
  labels: Record<string, string> = {},
): number | undefined {
  const family = families.get(name) ?? families.get(name.replace(/_(bucket|sum|count)$/, ''));
  const key = seriesKey({ name, labels, value: 0 });
  return family?.samples.find((sample) => seriesKey(sample) === key)?.value;
}

function parseSample(line: string): Sample {
  const match = SAMPLE.exec(line);
  assert.ok(match, `not a sample: ${line}`);
  const [, name = '', inside = '', number = ''] = match;
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  for (let at = 0; at < inside.length; at = LABEL.lastIndex) {
    LABEL.lastIndex = at;
    const label = LABEL.exec(inside);
    assert.ok(label, `not labels: ${line}`);
    const [, key = '', value = ''] = label;
    assert.ok(!(key in labels), `${key} comes twice: ${line}`);
    labels[key] = value;
  }
  return { name, labels, value: parseNumber(number) };
}

/** Of words Prometheus takes any case. */
function parseNumber(text: string): number {
  if (/^nan$/i.test(text)) return Number.NaN;
  if (/^[+-]inf$/i.test(text)) return text.startsWith('-') ? -Infinity : Infinity;
  assert.match(text, /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i);
  return Number(text);
}

function seriesKey({ name, labels }: Sample): string {
  return `${name} ${JSON.stringify(Object.entries(labels).sort())}`;
}

/** Buckets rise to `+Inf`, which is the count; each series has its sum. */
function assertHistogram(name: string, samples: readonly Sample[]): void {
  const groups = Map.groupBy(samples, ({ labels: { le: _le, ...labels } }) =>
    seriesKey({ name, labels, value: 0 }),
  );
  for (const [key, group] of groups) {
    const buckets = group.filter((sample) => sample.name === `${name}_bucket`);
    const bounds = buckets.map(({ labels }) => parseNumber(labels['le'] ?? ''));
    const counts = buckets.map(({ value }) => value);
    assert.deepEqual(
      bounds,
      [...bounds].sort((a, b) => a - b),
      key,
    );
    assert.deepEqual(
      counts,
      [...counts].sort((a, b) => a - b),
      key,
    );
    const [count, ...more] = group.filter((sample) => sample.name === `${name}_count`);
    const sums = group.filter((sample) => sample.name === `${name}_sum`);
    assert.deepEqual([more.length, sums.length], [0, 1], key);
    assert.equal(bounds.at(-1), Infinity, key);
    assert.equal(counts.at(-1), count?.value, key);
  }
}
