import { type FilterParameters, toolFilter } from '../catalogue/list.ts';
import { validationError } from '../errors.ts';
import { parseQuery } from '../search/grammar.ts';
import type { ToolFilter } from '../store/tool-queries.ts';

/**
 * The filter of a search over active tools, whose text is the parameter `query`.
 * @param sentence its words are ranked by, and one of them is enough.
 * @throws AppError ValidationError naming `query`.
 */
export function queryFilter(
  query: string,
  sentence: boolean,
  filters: Omit<FilterParameters, 'search' | 'status'>,
): ToolFilter {
  const parsed = parseQuery(query, { sentence });
  if ('reason' in parsed) throw invalid('query', `Query ${parsed.reason.replace(/^M/, 'm')}`);
  if (sentence && parsed.query.length === 0) throw invalid('query', 'Query must not be blank');
  const filter: ToolFilter = toolFilter({ ...filters, status: 'active' });
  return parsed.query.length === 0 ? filter : { ...filter, search: parsed.query };
}

/** @returns an error that names the parameter. */
function invalid(field: string, reason: string): Error {
  return validationError('Invalid arguments', [{ field, reason }]);
}
