import type { AppError } from './errors.ts';

const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Lines that are not blank, in constant memory. Of one that is longer than `maxLine` bytes only so
 * much is kept that it is seen to be.
 * @throws what `tooLarge` makes, behind 64 MiB.
 */
export async function* readLines(
  chunks: AsyncIterable<Buffer>,
  { maxLine, tooLarge }: { maxLine: number; tooLarge: () => AppError },
): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  let length = 0;
  let bytes = 0;
  const take = (last: Buffer) => {
    if (parts.length === 0 && last.length <= maxLine) return last;
    keep(last);
    const line = Buffer.concat(parts);
    parts = [];
    length = 0;
    return line;
  };
  const keep = (part: Buffer) => {
    if (length <= maxLine) parts.push(part.subarray(0, maxLine + 1 - length));
    length += part.length;
  };
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw tooLarge();
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      const isEmpty = end === from && parts.length === 0;
      const line = isEmpty ? undefined : take(chunk.subarray(from, end));
      from = end + 1;
      if (line !== undefined && !isBlank(line)) yield line;
    }
    keep(chunk.subarray(from));
  }
  const last = take(Buffer.alloc(0));
  if (!isBlank(last)) yield last;
}

function isBlank(line: Buffer): boolean {
  for (const byte of line) if (byte !== 32 && byte !== 9 && byte !== 13) return false;
  return true;
}
