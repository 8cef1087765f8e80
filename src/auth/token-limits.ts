import { AppError } from '../errors.ts';
import type { StoredLimits } from '../store/tokens.ts';
import { matchesGlob, splitPatterns } from '../store/tool-patterns.ts';
import type { TokenLimits } from './authorize.ts';

/** A path prefix on whole segments: `projects/x` and `projects/x/%` mean the same, `%` all. */
export const PATH_PREFIX = '^(?:%|[^/%\\p{C}]+(?:/[^/%\\p{C}]+)*(?:/%)?)$';

/**
 * The limits of a token that one with the limits `own` may make: what is not asked for is as its own.
 * @throws AppError AuthorizationError for what goes beyond.
 */
export function narrowedLimits(own: TokenLimits | undefined, wanted: StoredLimits): StoredLimits {
  const { read_paths, write_paths, tool_patterns } = wanted;
  const limits = {
    read_paths: narrowedPaths('read_paths', own?.readPaths, read_paths),
    write_paths: narrowedPaths('write_paths', own?.writePaths, write_paths),
    tool_patterns: narrowedPatterns(own?.toolPatterns, tool_patterns),
  };
  return Object.fromEntries(Object.entries(limits).filter(([, list]) => list !== undefined));
}

function narrowedPaths(
  field: string,
  own: readonly string[] | undefined,
  wanted: readonly string[] | undefined,
): readonly string[] | undefined {
  if (own === undefined || wanted === undefined) return wanted ?? own;
  const beyond = wanted.find((path) => !own.some((prefix) => isWithin(prefix, path)));
  if (beyond !== undefined) throw tooMuch(field, beyond);
  return wanted;
}

function isWithin(prefix: string, path: string): boolean {
  const outer = segmentsOf(prefix);
  const inner = segmentsOf(path);
  return outer.every((segment, at) => segment === inner[at]);
}

function segmentsOf(prefix: string): string[] {
  return prefix.split('/').filter((segment) => segment !== '%');
}

/** Each of the wanted globs must be covered by one of its own; what its own take away stays away. */
function narrowedPatterns(
  own: readonly string[] | undefined,
  patterns: readonly string[] | undefined,
): readonly string[] | undefined {
  if (own === undefined || patterns === undefined) return patterns ?? own;
  const outer = splitPatterns(own);
  const { wanted } = splitPatterns(patterns);
  const beyond = wanted.find(
    (glob) => outer.wanted.length > 0 && !outer.wanted.some((each) => matchesGlob(each, glob)),
  );
  if (beyond !== undefined) throw tooMuch('tool_patterns', beyond);
  const kept = wanted.length === 0 ? own : own.filter((pattern) => pattern.startsWith('!'));
  return [...new Set([...patterns, ...kept])];
}

function tooMuch(field: string, beyond: string): AppError {
  const reason = `'${beyond}' is beyond what the token that asks has itself`;
  return new AppError('AuthorizationError', 'A token cannot give more than it has', {
    field,
    reason,
  });
}
