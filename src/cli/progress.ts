const WIDTH = 30;
const EVERY_MS = 100;

/** A bar on a terminal's stderr; elsewhere nothing. `total` 0 shows the count alone. */
export function createProgress(total: number, stream: NodeJS.WriteStream = process.stderr) {
  let last = 0;

  function draw(done: number, text: string): void {
    const share = total > 0 ? Math.min(1, done / total) : 0;
    const filled = Math.round(share * WIDTH);
    const bar = `[${'#'.repeat(filled)}${'.'.repeat(WIDTH - filled)}] ${Math.floor(share * 100)} %`;
    stream.write(`\r\x1b[K${total > 0 ? `${bar}  ` : ''}${text}`);
  }

  return {
    /** Shows how much is done, at most ten times a second. */
    update(done: number, text: string): void {
      if (!stream.isTTY || performance.now() - last < EVERY_MS) return;
      last = performance.now();
      draw(done, text);
    },
    /** Takes the bar away, so that what follows starts on a clean line. */
    clear(): void {
      if (stream.isTTY) stream.write('\r\x1b[K');
    },
  };
}
