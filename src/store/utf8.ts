const encoder = new TextEncoder();

/** Texts as UTF-8 in one buffer, which costs far less than a buffer for each. */
export function createUtf8() {
  let bytes = new Uint8Array(64 * 1024);
  let used = 0;

  return {
    /** What was encoded before is not needed any more. */
    start(): void {
      used = 0;
    },
    /** Valid until the next `start`. */
    encode(text: string): Uint8Array {
      // A UTF-16 unit takes at most three bytes.
      const most = used + 3 * text.length;
      if (most > bytes.length) {
        bytes = new Uint8Array(2 * most);
        used = 0;
      }
      const { written } = encoder.encodeInto(text, bytes.subarray(used));
      used += written;
      return bytes.subarray(used - written, used);
    },
  };
}
