import { createRandom, type Random } from './random.ts';
import { BASE } from './requests.ts';
import type { LoadRequest } from './rounds.ts';

const BULK = 1_000;

/** Reports of one call each; few tools get most of them, as it is with tools. */
export function singleCalls(ids: readonly string[], count: number, seed: number): LoadRequest[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, () => ({
    path: `${BASE}/tools/${pickUneven(ids, random)}/calls`,
    body: JSON.stringify({ calls: [call(random)] }),
  }));
}

/** Reports of 1,000 calls each, of many tools. */
export function bulks(ids: readonly string[], count: number, seed: number): LoadRequest[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, () => ({
    path: `${BASE}/calls`,
    body: JSON.stringify({
      calls: Array.from({ length: BULK }, () => ({
        tool_id: pickUneven(ids, random),
        ...call(random),
      })),
    }),
  }));
}

/** The tool at rank r comes about 1 / r times as often as the first. */
function pickUneven(ids: readonly string[], random: Random): string {
  return ids[Math.floor(ids.length ** random.next()) - 1] ?? '';
}

function call(random: Random) {
  const success = random.next() < 0.97;
  return {
    execution_time_ms: Math.round(Math.exp(4 + random.normal()) * 100) / 100,
    success,
    caller: `agent-${random.int(20)}`,
    ...(!success && { error: random.pick(['timeout', 'not found', 'rate limited']) }),
  };
}
