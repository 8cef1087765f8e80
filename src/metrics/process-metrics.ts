import { collectDefaultMetrics, Registry } from 'prom-client';

let shared: Registry | undefined;

/**
 * CPU, memory, event loop lag and garbage collection of this process, which all applications in it
 * have in common. Made once, since its observers cannot be stopped; they keep no process alive.
 */
export function processMetrics(): Registry {
  if (shared === undefined) {
    shared = new Registry();
    collectDefaultMetrics({ register: shared });
  }
  return shared;
}
