import { dottedPath } from './catalogue/schema-path.ts';
import type { Fault } from './errors.ts';

/** Keys from the root that an error names; a fault deeper down is named by its outer part. */
const MAX_PATH_KEYS = 20;

/** Containers around each other in a body; the deepest part of it, a schema, may have 64. */
const MAX_BODY_DEPTH = 80;

interface Container {
  value: object;
  key: string | number;
  parent: Container | undefined;
  depth: number;
}

/**
 * The first part of a parsed JSON value that no route takes: U+0000 or a lone surrogate (a store
 * would give back something else), a number beyond the range of a double, a key that meddles with
 * prototypes in careless readers, or too deep a nesting. Walks without recursion.
 */
export function plainJsonFault(root: unknown): Fault | undefined {
  const reason = scalarFault(root);
  if (reason !== undefined) return { field: '', reason };
  const open: Container[] = [];
  if (isContainer(root)) open.push({ value: root, key: '', parent: undefined, depth: 1 });
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const found = containerFault(next, open);
    if (found !== undefined) {
      return { field: dottedPath(root, keysTo(next, found.key)), reason: found.reason };
    }
  }
  return undefined;
}

function containerFault(
  container: Container,
  open: Container[],
): { key?: string | number; reason: string } | undefined {
  const { value, depth } = container;
  if (depth > MAX_BODY_DEPTH) {
    return { reason: `Nesting must be at most ${MAX_BODY_DEPTH} levels deep` };
  }
  const isArray = Array.isArray(value);
  const keys = isArray ? value : Object.keys(value);
  for (let index = 0; index < keys.length; index++) {
    const key: string | number = isArray ? index : (keys[index] as string);
    const child: unknown = (value as Record<string | number, unknown>)[key];
    const reason = (isArray ? undefined : keyFault(key as string, child)) ?? scalarFault(child);
    if (reason !== undefined) return { key, reason };
    if (isContainer(child)) open.push({ value: child, key, parent: container, depth: depth + 1 });
  }
  return undefined;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function scalarFault(value: unknown): string | undefined {
  if (typeof value === 'string') return textFault(value);
  if (typeof value === 'number' && !Number.isFinite(value)) {
    return 'The number is beyond the range of a double';
  }
  return undefined;
}

function keyFault(key: string, child: unknown): string | undefined {
  const meddles =
    key === '__proto__' ||
    (key === 'constructor' && isContainer(child) && Object.hasOwn(child, 'prototype'));
  return meddles ? `The key '${key}' is not allowed` : textFault(key);
}

/** Why a text is refused everywhere, or undefined. */
export function textFault(text: string): string | undefined {
  if (text.includes('\0')) return 'The character U+0000 is not allowed';
  if (!text.isWellFormed()) return 'A lone surrogate is not allowed';
  return undefined;
}

function keysTo(container: Container, key: string | number | undefined): string[] {
  const keys = key === undefined ? [] : [String(key)];
  for (let at: Container | undefined = container; at?.parent; at = at.parent) {
    keys.push(String(at.key));
  }
  return keys.reverse().slice(0, MAX_PATH_KEYS);
}
