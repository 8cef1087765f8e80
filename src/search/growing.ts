type Numbers = Uint8Array | Uint16Array | Uint32Array;

/** A typed array that doubles when it is full. */
export interface Growing<Values extends Numbers> {
  /** Longer than `length`; another one after a push. */
  values: Values;
  length: number;
}

/** Appends a value. */
export function push<Values extends Numbers>(to: Growing<Values>, value: number): void {
  if (to.length === to.values.length) reserve(to, to.length + 1);
  to.values[to.length] = value;
  to.length += 1;
}

/** Makes room for `capacity` values. */
export function reserve<Values extends Numbers>(to: Growing<Values>, capacity: number): void {
  if (capacity <= to.values.length) return;
  const Type = to.values.constructor as new (length: number) => Values;
  const grown = new Type(Math.max(capacity, Math.ceil(to.values.length * 1.5), 1024));
  grown.set(to.values);
  to.values = grown;
}

// Room that is not used takes no memory, and an array that need not grow leaves no garbage behind.
export function growingBytes(capacity = 0): Growing<Uint8Array> {
  return { values: new Uint8Array(capacity), length: 0 };
}
export function growingShorts(capacity = 0): Growing<Uint16Array> {
  return { values: new Uint16Array(capacity), length: 0 };
}
export function growingWords(capacity = 0): Growing<Uint32Array> {
  return { values: new Uint32Array(capacity), length: 0 };
}
