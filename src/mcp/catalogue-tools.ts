import type { BuiltInTool } from './built-in.ts';

/** Finding and calling tools of the catalogue, for clients that load few of them. */
export const CATALOGUE_TOOLS: readonly BuiltInTool[] = [];
