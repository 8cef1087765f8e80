import { statSync } from 'node:fs';
import { Gauge, type Registry } from 'prom-client';
import type { Store } from '../store/store.ts';
import { VERSION } from '../version.ts';

/** The size of the store, read at each scrape, and which build runs. */
export function addStoreMetrics(registry: Registry, store: Store): void {
  const add = (name: string, help: string, read: () => number | undefined) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        const value = read();
        // Left out rather than 0 when the store does not answer: the rest matters most just then.
        if (value === undefined) this.remove({});
        else this.set(value);
      },
    });
  add('toolcrib_store_file_bytes', 'Size of the database file', () => sizeOf(store.file));
  add('toolcrib_store_wal_bytes', 'Size of the write-ahead log beside it', () =>
    sizeOf(`${store.file}-wal`),
  );
  add('toolcrib_tools', 'Tools in the catalogue', () => {
    try {
      return store.toolCount();
    } catch {
      return undefined;
    }
  });
  new Gauge({
    name: 'toolcrib_build_info',
    help: 'Always 1; the labels say which version runs, and on which Node',
    labelNames: ['version', 'node_version'],
    registers: [registry],
  }).set({ version: VERSION, node_version: process.version }, 1);
}

function sizeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.size;
}
