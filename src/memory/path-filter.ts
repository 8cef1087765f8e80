import { AppError } from '../errors.ts';

export const MAX_PATH = 256;
/** The first segment of what a space owns: `space/<name>/…`. */
const SPACE_ROOT = 'space';

/** Why a text is no path, or undefined. Segments are compared exactly, once in NFC. */
export function pathFault(path: string): string | undefined {
  if (path.length > MAX_PATH) return `must have at most ${MAX_PATH} characters`;
  if (/[\p{Cc}\\%]/u.test(path)) return 'must not have control characters, \\ or %';
  for (const segment of path.split('/')) {
    if (segment.trim() !== segment || segment === '') {
      return 'must have segments with a / between them, none empty or with spaces around it';
    }
    if (segment === '.' || segment === '..') return 'must not have the segments . and ..';
  }
  return undefined;
}

/**
 * The path that a filter is a prefix of by whole segments; undefined when it lets everything through.
 * `projects/x`, `projects/x/` and `projects/x/%` mean the same: that path and all below it.
 * @throws AppError FilterError for anything else.
 */
export function parsePathFilter(filter: string): string | undefined {
  const text = filter.trim();
  if (text === '' || text === '%') return undefined;
  const path = text.replace(/\/%?$/, '').normalize('NFC');
  const fault = pathFault(path);
  if (fault === undefined) return path;
  throw filterError('path_filter', `Path filter ${fault}, but for % or /% at its end`);
}

/** Whether `path` is `prefix` or below it. */
export function isBelow(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`);
}

/** The name of the space that owns what is at a path; undefined for a principal's own paths. */
export function spaceOf(path: string): string | undefined {
  const [root, name = ''] = path.split('/');
  return root === SPACE_ROOT ? name : undefined;
}

/** A filter of memories that means nothing. */
export function filterError(field: string, reason: string): AppError {
  return new AppError('FilterError', 'Invalid memory filter', { field, reason });
}
