const NOT_ASCII = /[^\x00-\x7f]/;

/** What makes a letter of Latin or Greek another letter to Unicode, but not to someone searching. */
const MARKS = /([[\p{Script=Latin}\p{Script=Greek}]&&\p{Letter}])\p{Mark}+/gv;

/**
 * Marks in a row beyond those that any language has (Stream-Safe Text, UAX #15): normalizing puts
 * them in order in a time that grows with the square of their count.
 */
const TOO_MANY_MARKS = /(\p{Mark}{30})\p{Mark}+/gu;

/**
 * Letters that stay apart in Unicode: four that have no decomposition (the stroke or the joint is
 * part of the letter), and the final sigma, which `toLowerCase` writes at the end of a word.
 */
const LETTERS: Readonly<Record<string, string>> = { ø: 'o', æ: 'ae', ł: 'l', đ: 'd', ς: 'σ' };
const LETTER = /[øæłđς]/g;

/**
 * Folds a text for comparison, so that a search finds it whatever its case, accents or width: NFKC,
 * full case folding, ø→o, æ→ae, ł→l, đ→d, no combining marks after Latin and Greek letters, NFC.
 * Marks of other scripts make other letters (が, й, ก้) and stay. Lone surrogates become U+FFFD, as
 * they do in any store. Folding a folded text changes nothing; text is never folded away entirely.
 */
export function fold(text: string): string {
  if (!NOT_ASCII.test(text)) return text.toLowerCase();
  return foldCase(safeToNormalize(text).normalize('NFKC'))
    .normalize('NFD')
    .replace(MARKS, '$1')
    .replace(LETTER, (letter) => LETTERS[letter] ?? letter)
    .normalize('NFC');
}

/** The text without what makes normalizing fail or slow: lone surrogates, endless marks. */
export function safeToNormalize(text: string): string {
  return text.toWellFormed().replace(TOO_MANY_MARKS, '$1');
}

/**
 * Full case folding out of the case mappings (Unicode, 3.13 Default Case Algorithms): upper case
 * joins what shares a capital (ſ and s, ı and i, ß and ss). It needs lower case before it, since ẞ
 * is a capital already and would never become SS. Cherokee ends in small letters, not in capitals.
 */
function foldCase(text: string): string {
  return text.toLowerCase().toUpperCase().toLowerCase();
}
