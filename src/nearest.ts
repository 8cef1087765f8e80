import { closest, distance } from 'fastest-levenshtein';

/** `; did you mean 'size'?` when a known name is near the given one, else nothing. */
export function suggestion(name: string, known: readonly string[]): string {
  if (known.length === 0 || name.length > 64) return '';
  const candidate = closest(name, [...known]);
  const near = distance(name, candidate) <= Math.max(2, Math.floor(name.length / 3));
  return near ? `; did you mean '${candidate}'?` : '';
}
