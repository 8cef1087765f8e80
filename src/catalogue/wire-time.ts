const DAY_S = 86_400;
/** `:00` to `:59`, and the day that was shown last: a Date for each of ten calls is most of an answer. */
const PARTS = Array.from({ length: 60 }, (_, part) => `:${String(part).padStart(2, '0')}`);
let day = Number.NaN;
let date = '';

/** A time in milliseconds as the wire shows it: UTC `YYYY-MM-DDTHH:MM:SSZ`. */
export function wireTime(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const days = Math.floor(seconds / DAY_S);
  if (days !== day) {
    date = new Date(days * DAY_S * 1000).toISOString().slice(0, 10);
    day = days;
  }
  const minutes = Math.floor((seconds - days * DAY_S) / 60);
  const hour = PARTS[Math.floor(minutes / 60)]?.slice(1);
  return `${date}T${hour}${PARTS[minutes % 60]}${PARTS[seconds - days * DAY_S - minutes * 60]}Z`;
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
