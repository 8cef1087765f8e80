/** A time in milliseconds as the wire shows it: UTC `YYYY-MM-DDTHH:MM:SSZ`. */
export function wireTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
