import type { SeenStore, Store } from '../store/store.ts';
import type { Principal } from './authorize.ts';

/** The store as a caller sees it: what its token's patterns do not let through is not there. */
export function storeSeenBy(store: Store, { token }: Principal): SeenStore {
  const patterns = token?.toolPatterns;
  return patterns === undefined ? store : { ...store, ...store.narrowed(patterns), patterns };
}
