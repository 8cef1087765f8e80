import { Registry } from 'prom-client';
import type { RankedBy } from '../catalogue/list.ts';
import type { Store } from '../store/store.ts';
import { createCallMetrics } from './call-metrics.ts';
import { createHttpMetrics } from './http-metrics.ts';
import { processMetrics } from './process-metrics.ts';
import { createSearchMetrics } from './search-metrics.ts';
import { addStoreMetrics } from './store-metrics.ts';

export type Metrics = ReturnType<typeof createMetrics>;

/** Our own metrics of one application and its store, in a registry of their own. */
export function createMetrics(store: Store) {
  const registry = new Registry();
  const http = createHttpMetrics(registry);
  const calls = createCallMetrics(registry, store);
  const searches = createSearchMetrics(registry);
  addStoreMetrics(registry, store);
  return {
    registry,
    contentType: registry.contentType,
    observeRequest: http.observe,
    /** Counts a line that was refused since it is no call. */
    refuseInvalid: calls.refuseInvalid,
    countRanked: (by: RankedBy) => searches.count(by),
    /** Everything in Prometheus' text format, the process's own numbers behind ours. */
    async text(): Promise<string> {
      const texts = await Promise.all([registry.metrics(), processMetrics().metrics()]);
      return texts.join('');
    },
  };
}
