/** Characters that are about a token each: scripts without spaces between words, and Hangul. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/gu;
const BYTES_A_TOKEN = 4;

/**
 * About how many tokens a model makes of a text: a quarter of its bytes in UTF-8, rounded up, and
 * one for each Chinese, Japanese, Korean, Thai… character.
 */
export function estimateTokens(text: string): number {
  if (/^[\x00-\x7f]*$/.test(text)) return Math.ceil(text.length / BYTES_A_TOKEN);
  const rest = text.replace(UNSPACED, '');
  const unspaced = [...text].length - [...rest].length;
  return unspaced + Math.ceil(Buffer.byteLength(rest) / BYTES_A_TOKEN);
}

/** The longest beginning that, with `…` behind it, has at most so many tokens; may be empty. */
export function truncateToTokens(text: string, tokens: number): string {
  const characters = [...text.slice(0, Math.max(0, tokens) * BYTES_A_TOKEN)];
  let low = 0;
  let high = characters.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (estimateTokens(`${characters.slice(0, middle).join('')}…`) <= tokens) low = middle;
    else high = middle - 1;
  }
  return low === 0 ? '' : `${characters.slice(0, low).join('')}…`;
}
