import { LRUCache } from 'lru-cache';
import { AppError } from '../errors.ts';

interface Window {
  ends: number;
  attempts: number;
}

interface Throttle {
  /** @throws AppError RateLimitError while the key's window is used up. */
  check(key: string): void;
  /**
   * Counts an attempt before its outcome is known, so that parallel ones cannot pass the limit
   * together. The function given back takes it out again: only wrong ones stay.
   * @throws AppError RateLimitError as `check`.
   */
  take(key: string): () => void;
  clear(key: string): void;
}

/** At most `limit` attempts a key in a window that opens with the first one; `now` in ms. */
export function createThrottle(options: {
  limit: number;
  windowMs: number;
  keys: number;
  now: () => number;
}): Throttle {
  const { limit, windowMs, keys, now } = options;
  // The key most recently tried stays longest: one under attack is not pushed out by its own noise.
  const windows = new LRUCache<string, Window>({ max: keys });

  // A window in which nothing went wrong is none: the next failure opens its own.
  function open(key: string): Window | undefined {
    const window = windows.get(key);
    return window && window.attempts > 0 && now() < window.ends ? window : undefined;
  }

  function check(key: string): void {
    const window = open(key);
    if (window && window.attempts >= limit) throw tooMany(window.ends - now());
  }

  return {
    check,
    take(key) {
      check(key);
      const window = open(key) ?? { ends: now() + windowMs, attempts: 0 };
      window.attempts += 1;
      windows.set(key, window);
      return () => {
        window.attempts -= 1;
      };
    },
    clear: (key) => {
      windows.delete(key);
    },
  };
}

function tooMany(ms: number): AppError {
  const seconds = Math.ceil(ms / 1000);
  const details = { retry_after_seconds: seconds };
  return new AppError('RateLimitError', 'Too many wrong passwords', details, seconds);
}
