import type { Definition } from '../catalogue/tool-document.ts';

/** More of a description changes its meaning little, and models take no texts of any length. */
const MAX_CHARACTERS = 2_000;

/** What a model is given of a tool. */
export function embeddedText({ document }: { document: string }): string {
  const { name, title, description, tags = [], metadata } = JSON.parse(document) as Definition;
  const words = name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, ' ').replace(/[_.-]+/g, ' ');
  const labels = [...tags, metadata?.category ?? ''].filter((label) => label !== '');
  return [title, words, description, labels.join(', ')]
    .filter(Boolean)
    .join('. ')
    .slice(0, MAX_CHARACTERS)
    .toWellFormed();
}
