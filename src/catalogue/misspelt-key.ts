import type { Fault } from '../errors.ts';
import { suggestion } from '../nearest.ts';

/**
 * The first key of an object that is most likely a known one misspelt, or undefined. Files carry
 * many keys of their own, so it counts only where the known key is absent, and not when it is only
 * continued (`serverId`).
 * @param at where the object stands, such as `usage_stats.`
 */
export function misspeltKeyFault(
  object: object,
  known: readonly string[],
  at = '',
): Fault | undefined {
  const absent = known.filter((key) => !Object.hasOwn(object, key));
  for (const key of Object.keys(object)) {
    if (known.includes(key)) continue;
    const likely = suggestion(
      key,
      absent.filter((name) => !key.startsWith(name) || key.length === name.length + 1),
    );
    if (likely !== '') return { field: `${at}${key}`, reason: `It is not a known key${likely}` };
  }
  return undefined;
}
