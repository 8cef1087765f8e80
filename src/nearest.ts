import { distance } from 'fastest-levenshtein';

/** More wrong characters than this are another word. */
const MAX_FAULTS = 2;

/**
 * `; did you mean 'size'?` when a known name is near the given one, else nothing. At most a third
 * of the characters may be wrong; a `prefix` that the known names share is not looked at.
 */
export function suggestion(name: string, known: readonly string[], prefix = ''): string {
  if (name.length > 64) return '';
  const given = withoutPrefix(name, prefix);
  let least = MAX_FAULTS + 1;
  let nearest: string | undefined;
  for (const candidate of known) {
    const bare = withoutPrefix(candidate, prefix);
    const faults = faultsBetween(given, bare);
    if (faults >= least || faults > Math.max(given.length, bare.length) / 3) continue;
    least = faults;
    nearest = candidate;
  }
  return nearest === undefined ? '' : `; did you mean '${nearest}'?`;
}

function withoutPrefix(name: string, prefix: string): string {
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

/** Levenshtein's distance, but two neighbours that changed places (`form`) are one fault. */
function faultsBetween(a: string, b: string): number {
  const faults = distance(a, b);
  if (faults !== 2 || a.length !== b.length) return faults;
  const at = [...a].findIndex((character, index) => character !== b[index]);
  const swapped = a.slice(0, at) + a.charAt(at + 1) + a.charAt(at) + a.slice(at + 2);
  return swapped === b ? 1 : faults;
}
