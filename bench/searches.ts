import type { Random } from './random.ts';

/** One kind of search: `next` makes another one of it. */
export interface SearchKind {
  name: string;
  sort: 'name' | 'relevance';
  next: () => string;
}

/** Searches made of the words and letters of some texts. */
export function createSearches(texts: readonly string[], random: Random): SearchKind[] {
  const words = () => random.pick(texts).replace(/["-]/g, ' ').split(/\s+/).filter(Boolean);

  function word(): string {
    for (;;) {
      const some = words();
      if (some.length > 0) return random.pick(some);
    }
  }

  /** So many letters out of the middle of a word. */
  function piece(length: number): string {
    for (;;) {
      const letters = [...word()];
      if (letters.length < length) continue;
      const start = random.int(letters.length - length + 1);
      return letters.slice(start, start + length).join('');
    }
  }

  function neighbours(count: number): string {
    for (;;) {
      const some = words();
      if (some.length < count) continue;
      const start = random.int(some.length - count + 1);
      return some.slice(start, start + count).join(' ');
    }
  }

  const many = (count: number, make: () => string) => Array.from({ length: count }, make);
  const filter = (name: string, next: () => string): SearchKind => ({ name, sort: 'name', next });
  const rank = (name: string, next: () => string): SearchKind => ({
    name,
    sort: 'relevance',
    next,
  });
  return [
    ...[1, 2, 3, 5, 8].map((length) =>
      filter(`filter, ${length} letters of a word`, () => piece(length)),
    ),
    filter('filter, a word', word),
    filter('filter, 3 words of one tool', () => neighbours(3)),
    filter('filter, 8 words of any tools', () => many(8, word).join(' ')),
    filter('filter, 4 pieces with OR', () => many(4, () => piece(4)).join(' OR ')),
    filter('filter, a phrase of 2 words', () => `"${neighbours(2)}"`),
    filter('filter, all without a piece', () => `-${piece(3)}`),
    rank('relevance, a word', word),
    rank('relevance, 8 words of one tool', () => neighbours(8)),
    rank('relevance, 8 words of any tools', () => many(8, word).join(' ')),
    rank('relevance, 20 words of any tools', () => many(20, word).join(' ')),
  ];
}
