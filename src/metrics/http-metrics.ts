import { Histogram, type Registry } from 'prom-client';

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE']);

/** The duration of requests by what bounds their number: never the URL, nor a method that we lack. */
export function createHttpMetrics(registry: Registry) {
  const duration = new Histogram({
    name: 'toolcrib_http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: BUCKETS,
    registers: [registry],
  });
  const children = new Map<string, { observe(seconds: number): void }>();

  return {
    /** `route` is the pattern of the route, undefined when none matched. */
    observe(method: string, route: string | undefined, status: number, seconds: number): void {
      const key = `${method} ${status} ${route}`;
      let child = children.get(key);
      if (child === undefined) {
        child = duration.labels(
          METHODS.has(method) ? method : 'other',
          route ?? 'unknown',
          String(status),
        );
        children.set(key, child);
      }
      child.observe(seconds);
    },
  };
}
