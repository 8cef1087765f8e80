import type { BuiltInTool } from './built-in.ts';
import { CATALOGUE_TOOLS } from './catalogue-tools.ts';
import { MEMORY_SEARCH_TOOLS } from './memory-search-tools.ts';
import { MEMORY_TOOLS } from './memory-tools.ts';

/** The tools of a server itself by name, in the order in which they are listed. */
export type Toolbox = ReadonlyMap<string, BuiltInTool>;

/** The product's own tools, and more for who embeds it: tests bring what a conformance run wants. */
export function createToolbox(more: readonly BuiltInTool[] = []): Toolbox {
  const tools = [...CATALOGUE_TOOLS, ...MEMORY_SEARCH_TOOLS, ...MEMORY_TOOLS, ...more];
  return new Map(tools.map((tool) => [tool.shown.name, tool]));
}
