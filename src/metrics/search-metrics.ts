import { Counter, type Registry } from 'prom-client';
import type { RankedBy } from '../catalogue/list.ts';

/** Ranked searches, by what ranked them: to see when the endpoint for embeddings does not answer. */
export function createSearchMetrics(registry: Registry) {
  const total = new Counter({
    name: 'toolcrib_ranked_searches_total',
    help: 'Searches by relevance, by mode; degraded are those that should have been hybrid',
    labelNames: ['mode', 'degraded'],
    registers: [registry],
  });
  const count = ({ mode, degraded }: RankedBy, by = 1): void =>
    total.inc({ mode, degraded: String(degraded === true) }, by);
  count({ mode: 'lexical' }, 0);
  count({ mode: 'lexical', degraded: true }, 0);
  count({ mode: 'hybrid' }, 0);
  return { count };
}
