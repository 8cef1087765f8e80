/** Any JSON value, as `JSON.parse` gives it. */
export type Json = null | boolean | number | string | Json[] | JsonObject;

/** A JSON object. Its keys come from outside, `__proto__` among them: build one by `fromEntries`. */
export interface JsonObject {
  [key: string]: Json;
}

/** Whether the value is an object and not an array or null. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
