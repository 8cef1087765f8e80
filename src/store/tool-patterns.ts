/** One pattern: a glob of tool names; with `!` before it, one that takes away. */
export const TOOL_PATTERN = '^!?[A-Za-z0-9_.*-]{1,128}$';

/**
 * Whether the patterns let a name through: one without `!` must match, when there are any such, and
 * none with `!` may. No patterns at all let nothing through.
 */
export function allowsName(patterns: readonly string[], name: string): boolean {
  const { wanted, unwanted } = splitPatterns(patterns);
  if (patterns.length === 0 || unwanted.some((glob) => matchesGlob(glob, name))) return false;
  return wanted.length === 0 || wanted.some((glob) => matchesGlob(glob, name));
}

/** The same as a condition of SQL about a column; the globs stand in its text, as views want it. */
export function nameCondition(column: string, patterns: readonly string[]): string {
  const { wanted, unwanted } = splitPatterns(patterns);
  if (patterns.length === 0) return '0';
  const terms = unwanted.map((glob) => `not ${matches(column, glob)}`);
  if (wanted.length > 0) {
    terms.push(`(${wanted.map((glob) => matches(column, glob)).join(' or ')})`);
  }
  return terms.join(' and ');
}

/** The globs that names must match, and those that they must not, without their `!`. */
export function splitPatterns(patterns: readonly string[]) {
  return {
    wanted: patterns.filter((pattern) => !pattern.startsWith('!')),
    unwanted: patterns
      .filter((pattern) => pattern.startsWith('!'))
      .map((pattern) => pattern.slice(1)),
  };
}

/**
 * Whether `*` (any characters) and plain ones make up the text, in linear time. A glob covers
 * another one when it matches its text: nothing else than `*` stands for a `*`.
 */
export function matchesGlob(glob: string, text: string): boolean {
  const [first = '', ...parts] = glob.split('*');
  const last = parts.pop();
  if (last === undefined) return glob === text;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of parts) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

const PATTERN = new RegExp(TOOL_PATTERN);

/** @throws Error for what is no glob: it must not become part of a statement. */
function matches(column: string, glob: string): string {
  if (!PATTERN.test(glob) || glob.startsWith('!')) throw new Error('Malformed tool pattern');
  return `${column} glob '${glob}'`;
}
