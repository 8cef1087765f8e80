/** A time in milliseconds as the wire shows it: UTC `YYYY-MM-DDTHH:MM:SSZ`. */
export function wireTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

let second = -1;
let text = '';

/** Now, in the wire's format; made once a second. */
export function wireNow(): string {
  const now = Math.floor(Date.now() / 1000);
  if (now !== second) {
    second = now;
    text = wireTime(now * 1000);
  }
  return text;
}
