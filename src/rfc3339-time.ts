/** RFC 3339, 5.6, with seconds and at most nanoseconds. */
export const RFC3339_PATTERN =
  '^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,9})?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$';

/** Whether our answers can show the time: its year in UTC has four digits. */
export function isShowable(ms: number): boolean {
  return ms >= Date.parse('0000-01-01T00:00:00Z') && ms <= Date.parse('9999-12-31T23:59:59.999Z');
}

/**
 * Milliseconds of a text that matches the pattern; undefined when the month has no such day, or the
 * offset leads out of the years 0000 to 9999.
 */
export function parseRfc3339(text: string): number | undefined {
  const [year = 0, month = 0, day = 0] = text.slice(0, 10).split('-').map(Number);
  const lastDay = new Date(Date.UTC(2000, month, 0)).getUTCDate();
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  if (day > (month === 2 && !isLeap ? 28 : lastDay)) return undefined;
  const ms = Date.parse(text);
  return isShowable(ms) ? ms : undefined;
}
