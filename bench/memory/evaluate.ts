import type { Principal } from '../../src/auth/authorize.ts';
import { BAR } from '../../src/memory/ranking.ts';
import { remember } from '../../src/memory/remember.ts';
import { recall, searchMemory } from '../../src/memory/search.ts';
import type { Store } from '../../src/store/store.ts';
import { type Conversation, contentOf, swapped } from './conversations.ts';
import { type Asked, curve, foundOf, hitAt, recallAt, strictness } from './measures.ts';

/** A category of questions that are wrong about who it was; told apart from the others. */
const FALSE_FACTS = 5;
const BARS = [0, 0.3, 0.4, 0.5, 0.55, BAR, 0.65, 0.7, 0.75, 0.8, 0.9, 1];

/** One owner a conversation, one memory a turn; all through the functions that both doors use. */
export async function evaluate(store: Store, conversations: readonly Conversation[]) {
  const turns = new Map<string, string>();
  const owners = conversations.map(
    ({ sample_id }): Principal => ({
      id: sample_id,
      name: sample_id,
      scopes: ['memory:read', 'memory:write'],
    }),
  );
  for (const [index, { turns: said }] of conversations.entries()) {
    const owner = owners[index] as Principal;
    await Promise.all(
      said.map(async (turn) => {
        const given = { content: contentOf(turn), path: 'talk', dedupe: false };
        const { memory } = await remember(store, owner, given, 'mask');
        turns.set(memory.reference, turn.id);
      }),
    );
  }
  const ids = (hits: readonly { reference: string }[]) =>
    hits.map(({ reference }) => turns.get(reference) ?? '');
  const asked: Asked[] = [];
  for (const [index, { speakers, questions }] of conversations.entries()) {
    const next = (index + 1) % conversations.length;
    const [owner, other] = [owners[index] as Principal, owners[next] as Principal];
    const others = conversations[next]?.speakers ?? [];
    for (const { question, category, evidence } of questions) {
      const query = swapped(question, speakers, others);
      const strict = await searchMemory(store, owner, { query: question });
      const swappedStrict = await searchMemory(store, other, { query });
      asked.push({
        category,
        evidence: new Set(evidence),
        recalled: ids((await recall(store, owner, { query: question })).hits),
        strict: ids(strict.hits),
        unbarred: await unbarred(owner, question),
        swappedStrict: ids(swappedStrict.hits),
        swappedUnbarred: await unbarred(other, query),
      });
    }
  }
  const judged = asked.filter(({ category }) => category !== FALSE_FACTS);
  const falseFacts = asked.filter(({ category }) => category === FALSE_FACTS);
  return {
    questions: judged.length,
    recall: { 'recall@5': recallAt(judged), 'hit@5': hitAt(judged) },
    search_memory: { bar: BAR, ...strictness(judged) },
    curve: curve(judged, BARS),
    by_category: [...Map.groupBy(judged, ({ category }) => category)]
      .sort(([a], [b]) => a - b)
      .map(([category, own]) => ({ category, ...measuresOf(own) })),
    false_facts: measuresOf(falseFacts),
  };

  /** What the strict search would find without its bar. */
  async function unbarred(owner: Principal, query: string) {
    const { hits } = await searchMemory(store, owner, { query, explain: true }, 0);
    return foundOf(hits, ({ reference }) => turns.get(reference) ?? '');
  }
}

function measuresOf(asked: readonly Asked[]) {
  return {
    questions: asked.length,
    'recall@5': recallAt(asked),
    'hit@5': hitAt(asked),
    ...strictness(asked),
  };
}
