import { InMemoryServerEventBus, type ServerEventBus } from '@modelcontextprotocol/server';
import type { Store } from '../store/store.ts';

/** How soon a listener hears of a change (milliseconds). */
const LOOK_EVERY_MS = 500;

/**
 * Tells open subscriptions when the catalogue changed, by whatever process. The store is looked at
 * only while someone listens. A notice says no more than that.
 */
export function createChangeBus(
  store: Pick<Store, 'versions'>,
): ServerEventBus & { close(): void } {
  const bus = new InMemoryServerEventBus();
  let timer: NodeJS.Timeout | undefined;
  let known = 0;
  let listeners = 0;

  function look(): void {
    try {
      const { catalogue } = store.versions();
      if (catalogue === known) return;
      known = catalogue;
    } catch {
      // A store that does not answer now is looked at again.
      return;
    }
    bus.publish({ kind: 'tools_list_changed' });
  }

  function stop(): void {
    clearInterval(timer);
    timer = undefined;
  }

  return {
    publish: (event) => bus.publish(event),
    subscribe(listener) {
      if (timer === undefined) {
        known = store.versions().catalogue;
        timer = setInterval(look, LOOK_EVERY_MS).unref();
      }
      listeners += 1;
      const leave = bus.subscribe(listener);
      let isIn = true;
      return () => {
        if (!isIn) return;
        isIn = false;
        leave();
        listeners -= 1;
        if (listeners === 0) stop();
      };
    },
    close: stop,
  };
}
