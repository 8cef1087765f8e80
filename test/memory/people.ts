import type { TestContext } from 'node:test';
import type { Principal, TokenLimits } from '../../src/auth/authorize.ts';
import type { MemoryToRemember } from '../../src/memory/remember.ts';
import { remember } from '../../src/memory/remember.ts';
import type { StoredMemory } from '../../src/store/memory-rows.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { temporaryFolder } from '../helper.ts';

/** A store on a file of its own. */
export function startStore(t: TestContext): Store {
  const store = openStore(`file:${temporaryFolder(t)}/toolcrib.db`);
  t.after(() => store.close());
  return store;
}

/** Someone who may read and write, as far as the token lets it. */
export function principal(id: string, token?: Omit<TokenLimits, 'id'>): Principal {
  return {
    id,
    name: id,
    scopes: ['memory:read', 'memory:write'],
    ...(token && { token: { id: `token of ${id}`, ...token } }),
  };
}

export const ANNA = principal('anna');
export const BERT = principal('bert');

/** Remembers one content, at `notes` unless said otherwise. */
export async function keep(
  store: Store,
  content: string,
  more: Partial<MemoryToRemember> = {},
  by: Principal = ANNA,
): Promise<StoredMemory> {
  const { memory } = await remember(store, by, { path: 'notes', ...more, content }, 'mask');
  return memory;
}
