import { validationError } from './errors.ts';
import { parseRfc3339 } from './rfc3339-time.ts';

/** A text filter of a query; undefined when it is blank, which means "not applied". */
export function givenText(text: string | undefined): string | undefined {
  return text?.trim() ? text : undefined;
}

/** Milliseconds of a time in a query. @throws AppError ValidationError. */
export function givenTime(field: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = parseRfc3339(text);
  if (ms !== undefined) return ms;
  const reason = `${field} must be a day that exists`;
  throw validationError('Invalid query parameters', [{ field, reason }]);
}

/** The ends of a period that a query gives, in milliseconds. @throws AppError ValidationError. */
export function givenPeriod({
  since,
  until,
}: {
  since?: string | undefined;
  until?: string | undefined;
}): { since?: number; until?: number } {
  const from = givenTime('since', since);
  const before = givenTime('until', until);
  return {
    ...(from !== undefined && { since: from }),
    ...(before !== undefined && { until: before }),
  };
}
