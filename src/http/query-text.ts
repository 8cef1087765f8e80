import { textFault } from '../plain-json.ts';

/** What a query string said: each name with its values in order, or why it cannot be read. */
export interface QueryText {
  values: Map<string, string[]>;
  fault?: { field: string; reason: string };
}

/** Decodes a query string as forms are encoded (`+` is a space), refusing what is malformed. */
export function parseQueryText(text: string): QueryText {
  const values = new Map<string, string[]>();
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const at = pair.indexOf('=');
    const name = decode(at < 0 ? pair : pair.slice(0, at));
    const value = decode(at < 0 ? '' : pair.slice(at + 1));
    if (name === undefined || value === undefined) {
      const field = name ?? 'query';
      return { values, fault: { field, reason: 'The percent-encoding must be of UTF-8' } };
    }
    const reason = textFault(name) ?? textFault(value);
    if (reason !== undefined)
      return { values, fault: { field: textFault(name) ? 'query' : name, reason } };
    const former = values.get(name);
    if (former) former.push(value);
    else values.set(name, [value]);
  }
  return { values };
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

/** Property schemas of a query, by name. */
export type QuerySchema = Record<string, Record<string, unknown>>;

/** Why text is no value of the schema's type, or the value: strict, before any range is looked at. */
export function parseValue(
  schema: Record<string, unknown>,
  text: string,
): { value: unknown } | { reason: string } {
  switch (schema['type']) {
    case 'integer':
      if (!/^(0|[1-9][0-9]*)$/.test(text)) {
        return { reason: `must be a plain decimal integer${bounds(schema)}` };
      }
      return { value: Number(text) };
    case 'number':
      if (!/^(0|[1-9][0-9]*)(\.[0-9]{1,6})?$/.test(text)) {
        const reason = `must be a plain decimal number${bounds(schema)} with at most 6 digits after the point`;
        return { reason };
      }
      return { value: Number(text) };
    case 'boolean':
      if (text !== 'true' && text !== 'false') return { reason: 'must be true or false' };
      return { value: text === 'true' };
    default:
      return { value: text };
  }
}

function bounds({ minimum, maximum }: Record<string, unknown>): string {
  return minimum === undefined || maximum === undefined ? '' : ` between ${minimum} and ${maximum}`;
}
