import { parametersFromSchema } from '../../src/catalogue/parameters.ts';
import type { Definition } from '../../src/catalogue/tool-document.ts';
import { isStopWord } from '../../src/search/stop-words.ts';

/** Tags, category and server. */
export function labelsOf({ tags = [], metadata, server }: Definition): string[] {
  return [...tags, metadata?.category ?? '', server ?? ''].filter((label) => label !== '');
}

/** Names and descriptions of the parameters. */
export function parametersOf({ input_schema: schema }: Definition): string[] {
  if (schema === undefined) return [];
  return Object.entries(parametersFromSchema(schema)).flatMap(([name, { description }]) => [
    name,
    description,
  ]);
}

/** `getUserInfo`, `get_user-info` → `get User Info`, `get user info` */
export function splitNames(text: string): string {
  return text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .replace(/[_.\-/:]+/g, ' ');
}

/** Without stop-words, unless nothing else is there. */
export function tellingWords(words: readonly string[]): string[] {
  const telling = words.filter((word) => !isStopWord(word));
  return telling.length > 0 ? telling : [...words];
}
