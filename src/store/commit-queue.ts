import type { Connection } from './database.ts';

interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * A queue of writes: those that arrive together share a transaction, and with it the wait for the
 * disk. `writeAll` gives the result of each item in order, and must bear being tried again after a
 * roll-back. A commit takes items up to `maxWeight`, and one at least.
 */
export function createCommitQueue<Item, Result>(
  db: Connection,
  {
    weightOf,
    maxWeight,
    writeAll,
    committed,
  }: {
    weightOf: (item: Item) => number;
    maxWeight: number;
    writeAll: (items: readonly Item[]) => Result[];
    /** Told of each commit when all know their results; the next one waits for it. */
    committed?: (items: Item[], results: Result[], seconds: number) => Promise<void>;
  },
) {
  let waiting: Waiting<Item, Result>[] = [];
  let isWriting = false;

  /** Takes what waits, as far as one transaction should go. */
  function takeNext(): Waiting<Item, Result>[] {
    let weight = 0;
    const end = waiting.findIndex(({ item }, index) => {
      weight += weightOf(item);
      return index > 0 && weight > maxWeight;
    });
    const taken = end < 0 ? waiting : waiting.slice(0, end);
    waiting = end < 0 ? [] : waiting.slice(end);
    return taken;
  }

  async function writeWaiting(): Promise<void> {
    while (waiting.length > 0) {
      let taken: Waiting<Item, Result>[] = [];
      const started = performance.now();
      try {
        const results = await db.write(() => {
          // Taken when the lock is held: what came while another writer had it goes along. Tried
          // again after a roll-back, the same ones are written.
          if (taken.length === 0) taken = takeNext();
          return writeAll(taken.map(({ item }) => item));
        });
        const seconds = (performance.now() - started) / 1000;
        for (const [index, { resolve }] of taken.entries()) resolve(results[index] as Result);
        await committed?.(
          taken.map(({ item }) => item),
          results,
          seconds,
        );
      } catch (error) {
        // No lock to be had: nothing was taken, and whoever waits must not wait for ever.
        if (taken.length === 0) taken = takeNext();
        for (const { reject } of taken) reject(error);
      }
    }
    isWriting = false;
  }

  return {
    /**
     * The result of the item, on disk when it resolves.
     * @throws AppError ServiceUnavailableError, StorageFullError; nothing is written then.
     */
    push(item: Item): Promise<Result> {
      const { promise, resolve, reject } = Promise.withResolvers<Result>();
      waiting.push({ item, resolve, reject });
      if (!isWriting) {
        isWriting = true;
        // After this turn, so that all requests it brings go together.
        setImmediate(writeWaiting);
      }
      return promise;
    },

    /** The weight of what waits. */
    waitingWeight: (): number => waiting.reduce((sum, { item }) => sum + weightOf(item), 0),
  };
}
