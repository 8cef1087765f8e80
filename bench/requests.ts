import { createRandom } from './random.ts';

export const BASE = '/_plugins/_ml/mcp';

export const USER = 'bench';
export const PASSWORD = 'a password of the benchmark';
export const AUTHORIZATION = `Basic ${Buffer.from(`${USER}:${PASSWORD}`).toString('base64')}`;

const SORTS = [
  'name',
  'created_at',
  'updated_at',
  'category',
  'usage_stats.total_calls',
  'usage_stats.success_rate',
  'usage_stats.avg_execution_time_ms',
];

/** What the requests need to know of the tools in the store. */
export interface Catalogue {
  ids: string[];
  /** Tools in each category. */
  categories: Map<string, number>;
}

export const HOT_PATH = `${BASE}/tools`;

/** Pages of ten anywhere in the list, half of them of one category, in any sort. */
export function pagePaths({ ids, categories }: Catalogue, count: number, seed: number): string[] {
  const random = createRandom(seed);
  const counts = [...categories];
  return Array.from({ length: count }, () => {
    const [category, total] = random.next() < 0.5 ? random.pick(counts) : ['', ids.length];
    const query = new URLSearchParams({
      ...(category !== '' && { category }),
      sort: random.pick(SORTS),
      order: random.pick(['asc', 'desc']),
      from: String(random.int(total)),
    });
    return `${BASE}/tools?${query}`;
  });
}

export function toolPaths({ ids }: Catalogue, count: number, seed: number): string[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, () => `${BASE}/tools/${random.pick(ids)}`);
}
