import { CATALOGUE_TOOLS } from './catalogue-tools.ts';
import { MEMORY_SEARCH_TOOLS } from './memory-search-tools.ts';
import { MEMORY_TOOLS } from './memory-tools.ts';

/** Every tool of the server itself, in the order in which it is listed. */
export const BUILT_IN = [...CATALOGUE_TOOLS, ...MEMORY_SEARCH_TOOLS, ...MEMORY_TOOLS];

const BY_NAME = new Map(BUILT_IN.map((tool) => [tool.shown.name, tool]));

export const BUILT_IN_NAMES: ReadonlySet<string> = new Set(BY_NAME.keys());

/** The built-in tool of this name. */
export function builtInTool(name: string) {
  return BY_NAME.get(name);
}
