import type { Principal } from '../auth/authorize.ts';
import type { Store } from '../store/store.ts';
import { viewerOf } from './access.ts';
import { shownMemory } from './memory.ts';
import { type GivenFilter, memoryFilter } from './read.ts';

const SLICE = 200;

/**
 * All active memories that match as lines of JSON, the oldest first; contents are read by the slice.
 * @throws AppError FilterError, before the first line.
 */
export async function exportMemories(
  store: Store,
  principal: Principal,
  given: GivenFilter,
): Promise<AsyncGenerator<string>> {
  const filter = memoryFilter(given);
  const viewer = viewerOf(principal);
  const ids = await store.memories.read(viewer, (reader) => reader.ids(filter));

  async function* lines(): AsyncGenerator<string> {
    for (let at = 0; at < ids.length; at += SLICE) {
      const slice = ids.slice(at, at + SLICE);
      // Looked at anew: what was forgotten or expired meanwhile is not there.
      const memories = await store.memories.read(viewer, (reader) => reader.byIds(slice));
      memories.sort((a, b) => a.id - b.id);
      yield memories.map((memory) => `${JSON.stringify(shownMemory(memory))}\n`).join('');
    }
  }
  return lines();
}
