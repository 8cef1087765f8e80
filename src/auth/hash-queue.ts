import { AppError } from '../errors.ts';

interface Waiter {
  start: () => void;
  refuse: (reason: AppError) => void;
}

type HashQueue = <T>(work: () => Promise<T>, urgent: boolean) => Promise<T>;

/**
 * A queue that runs at most `atOnce` works together and keeps at most `waiting` more.
 * Urgent works go before the others and, when the queue is full, take the place of the newest of
 * them, so that a flood of guesses cannot keep out those who are known to be good.
 * @throws AppError ServiceUnavailableError (retry after 1 s) for a work there is no room for.
 */
export function createHashQueue(atOnce: number, waiting: number): HashQueue {
  const urgentOnes: Waiter[] = [];
  const others: Waiter[] = [];
  let running = 0;

  function turn(urgent: boolean): Promise<void> {
    if (running < atOnce) {
      running += 1;
      return Promise.resolve();
    }
    if (urgentOnes.length + others.length >= waiting) {
      const displaced = urgent ? others.pop() : undefined;
      if (displaced === undefined) return Promise.reject(busy());
      displaced.refuse(busy());
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    (urgent ? urgentOnes : others).push({ start: resolve, refuse: reject });
    return promise;
  }

  // The place of a finished work goes straight to the next one: `running` never dips, so nobody
  // can slip in between.
  function leave(): void {
    const next = urgentOnes.shift() ?? others.shift();
    if (next === undefined) running -= 1;
    else next.start();
  }

  return async (work, urgent) => {
    await turn(urgent);
    try {
      return await work();
    } finally {
      leave();
    }
  };
}

function busy(): AppError {
  return new AppError('ServiceUnavailableError', 'Too many sign-ins at once', {}, 1);
}
