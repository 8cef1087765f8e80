import type { StartEngine } from './engines.ts';
import type { Answer } from './measures.ts';
import type { RelevanceSet } from './sets.ts';

/** Asks one engine all queries of a set, one after the other; `change` can alter their texts. */
export async function evaluate(
  start: StartEngine,
  { tools, queries }: RelevanceSet,
  change: (text: string) => string = (text) => text,
): Promise<Answer[]> {
  const engine = await start(tools);
  const answers: Answer[] = [];
  try {
    // What the first query of all pays is no query's price.
    await engine.search('tool');
    for (const query of queries) {
      const text = change(query.text);
      const started = performance.now();
      const names = await engine.search(text);
      answers.push({ query, names, ms: performance.now() - started });
    }
  } finally {
    await engine.close?.();
  }
  return answers;
}
