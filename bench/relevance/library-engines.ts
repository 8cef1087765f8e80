import { create, insertMultiple, search as searchOrama } from '@orama/orama';
import MiniSearch from 'minisearch';
import type { Definition } from '../../src/catalogue/tool-document.ts';
import { stem } from '../../src/search/stem.ts';
import { isStopWord, STOP_WORDS } from '../../src/search/stop-words.ts';
import { DEPTH, type Engine } from './engines.ts';
import { labelsOf, parametersOf, splitNames } from './texts.ts';

/** MiniSearch with split names, stems, without stop-words, with parameter texts and weights. */
export function startMiniSearch(tools: readonly Definition[]): Engine {
  const index = new MiniSearch({
    fields: ['name', 'description', 'labels', 'parameters'],
    tokenize: (text) => splitNames(text).match(/[\p{L}\p{N}]+/gu) ?? [],
    processTerm: (term) => {
      const word = term.toLowerCase();
      return isStopWord(word) ? null : stem(word);
    },
    searchOptions: { boost: { name: 3, labels: 2, parameters: 0.5 } },
  });
  index.addAll(
    tools.map((tool, id) => ({
      id,
      name: tool.name,
      description: tool.description,
      labels: labelsOf(tool).join(' '),
      parameters: parametersOf(tool).join(' '),
    })),
  );
  return {
    search: (text) =>
      index
        .search(text)
        .slice(0, DEPTH)
        .flatMap(({ id }) => tools[id as number]?.name ?? []),
  };
}

/** Orama with its English stemmer, our stop-words and a weight for names. */
export async function startOrama(tools: readonly Definition[]): Promise<Engine> {
  const db = create({
    schema: { name: 'string', description: 'string', labels: 'string' },
    components: { tokenizer: { language: 'english', stemming: true, stopWords: [...STOP_WORDS] } },
  });
  await insertMultiple(
    db,
    tools.map((tool, at) => ({
      id: String(at),
      name: `${tool.name} ${splitNames(tool.name)}`,
      description: tool.description,
      labels: labelsOf(tool).join(' '),
    })),
  );
  return {
    async search(text) {
      const { hits } = await searchOrama(db, { term: text, limit: DEPTH, boost: { name: 3 } });
      return hits.flatMap(({ id }) => tools[Number(id)]?.name ?? []);
    },
  };
}
