import { isObject } from '../json.ts';

const MAX_KEY = 100;

/**
 * Keys from a value's root as a path for error details: `properties.q.anyOf[0].type`.
 * A key that would read as something else is quoted (`properties["a.b"]`), a very long one is cut.
 */
export function dottedPath(root: unknown, keys: readonly string[]): string {
  let path = '';
  let value = root;
  for (const key of keys) {
    if (Array.isArray(value)) {
      path += `[${key}]`;
      value = value[Number(key)];
    } else {
      path += segment(key, path === '');
      value = isObject(value) ? value[key] : undefined;
    }
  }
  return path;
}

function segment(key: string, first: boolean): string {
  if (key.length > MAX_KEY) return `[${JSON.stringify(`${key.slice(0, MAX_KEY)}…`)}]`;
  if (!/^[^.[\]"\s\p{C}]+$/u.test(key)) return `[${JSON.stringify(key)}]`;
  return first ? key : `.${key}`;
}
