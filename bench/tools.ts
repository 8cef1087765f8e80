import { createRandom, type Random } from './random.ts';
import { CATEGORIES, ENDINGS, NOUNS, PARAMETERS, QUALIFIERS, SERVERS, VERBS } from './words.ts';

const DAY_MS = 86_400_000;
const LAST_DAY = Date.UTC(2026, 0, 1);

/** One line of an import; times in milliseconds. */
export interface BenchTool {
  tool_id: string;
  name: string;
  status: 'active' | 'inactive' | 'error';
  metadata: { category: string; version: string; author: string };
  usage_stats: { total_calls: number; success_rate: number; avg_execution_time_ms: number };
  [key: string]: unknown;
}

/**
 * Tools as servers in the field have them: descriptions of about 150 characters with some of 1 KB,
 * up to eight parameters, half of them given as a JSON Schema, and very uneven usage.
 */
export function* makeTools(count: number, seed = 1): Generator<BenchTool> {
  const random = createRandom(seed);
  const names = new Set<string>();
  for (let index = 0; index < count; index++) yield makeTool(random, index, names);
}

function makeTool(random: Random, index: number, names: Set<string>): BenchTool {
  const server = random.pick(SERVERS);
  const verb = random.pick(VERBS);
  const noun = random.pick(NOUNS);
  const qualifier = random.pick(QUALIFIERS);
  const created = LAST_DAY - random.int(700 * DAY_MS);
  const state = random.next();
  return {
    tool_id: toolId(random, index),
    name: uniqueName(`${server}_${verb}_${qualifier}_${noun}`, names),
    description: description(random, `${verb} ${qualifier} ${noun}s of ${server}.`),
    status: state < 0.96 ? 'active' : state < 0.99 ? 'inactive' : 'error',
    ...parameters(random),
    metadata: {
      // Some categories are larger than others, as everywhere.
      category: CATEGORIES[Math.floor(CATEGORIES.length * random.next() ** 1.5)] ?? '',
      version: `${random.int(4)}.${random.int(10)}.${random.int(10)}`,
      author: `${random.pick(SERVERS)} team`,
    },
    ...(random.next() < 0.5 && { tags: [noun, random.pick(NOUNS)] }),
    ...(random.next() < 0.3 && { annotations: { readOnlyHint: /list|get|search/.test(verb) } }),
    ...(random.next() < 0.7 && { server }),
    created_at: created,
    updated_at: created + random.int(LAST_DAY - created + 1),
    usage_stats: usage(random),
  };
}

function toolId(random: Random, index: number): string {
  const part = () =>
    random
      .int(36 ** 5)
      .toString(36)
      .padStart(5, '0');
  return `tool-${part()}${part()}${part()}${index.toString(36).padStart(5, '0')}`;
}

function uniqueName(wanted: string, names: Set<string>): string {
  let name = wanted;
  for (let n = 2; names.has(name); n++) name = `${wanted}_${n}`;
  names.add(name);
  return name;
}

function description(random: Random, opening: string): string {
  const length = Math.min(1500, Math.max(25, 150 * Math.exp(0.8 * random.normal())));
  let text = opening.charAt(0).toUpperCase() + opening.slice(1);
  while (text.length < length) text += ` ${sentence(random)}`;
  text = text.slice(0, text.lastIndexOf(' ', length)).trimEnd();
  // Few descriptions leave ASCII, mostly for a dash.
  return random.next() < 0.02 ? text.replace(' ', ' — ') : text;
}

function sentence(random: Random): string {
  if (random.next() < 0.4) return random.pick(ENDINGS);
  const verb = random.pick(VERBS);
  return `You can also ${verb} the ${random.pick(QUALIFIERS)} ${random.pick(NOUNS)} of a ${random.pick(NOUNS)}.`;
}

function parameters(random: Random): object {
  const names = new Set(Array.from({ length: random.int(9) }, () => random.pick(PARAMETERS)));
  const asSchema = random.next() < 0.5;
  const entries = [...names].map((name) => {
    const type = random.pick(['string', 'string', 'string', 'integer', 'boolean', 'array']);
    const about = { type, description: `${name} of the ${random.pick(NOUNS)} to work on` };
    return [name, asSchema ? about : { ...about, required: random.next() < 0.4 }] as const;
  });
  if (!asSchema) return { parameters: Object.fromEntries(entries) };
  const required = [...names].filter(() => random.next() < 0.4);
  return {
    input_schema: { type: 'object', properties: Object.fromEntries(entries), required },
  };
}

/** A third was never called; the calls of the others spread over five powers of ten. */
function usage(random: Random): BenchTool['usage_stats'] {
  if (random.next() < 0.33) {
    return { total_calls: 0, success_rate: 0, avg_execution_time_ms: 0 };
  }
  return {
    total_calls: 1 + Math.floor(100 * Math.exp(2 * random.normal())),
    success_rate: Math.round(1000 * (1 - 0.3 * random.next() ** 3)) / 1000,
    avg_execution_time_ms: Math.round(20_000 * Math.exp(random.normal())) / 100,
  };
}
