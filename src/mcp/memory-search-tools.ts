import { Type } from '@sinclair/typebox';
import { recallContext } from '../memory/context.ts';
import { explainMemory } from '../memory/explain.ts';
import { shownMemory } from '../memory/memory.ts';
import { recall, searchMemory } from '../memory/search.ts';
import {
  MemoryContextAnswer,
  MemoryExplainedAnswer,
  MemoryHit,
  MemoryReference,
} from '../schemas/memory.ts';
import {
  MemoryContextQuery,
  MemoryExplainQuery,
  MemorySearchQuery,
} from '../schemas/memory-queries.ts';
import { type BuiltInTool, builtIn } from './built-in.ts';
import { counted, fenced, memoryList, memoryText, UNTRUSTED } from './memory-text.ts';

const READS = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
const scope = 'memory:read';
const SearchInput = Type.Omit(MemorySearchQuery, ['owner']);
const hits = Type.Array(MemoryHit);
const below_bar = Type.Integer({
  description: 'How many more have words of the query, but do not answer it',
});

/** Finding memories: strictly, forgivingly, for a prompt, and why. */
export const MEMORY_SEARCH_TOOLS: readonly BuiltInTool[] = [
  builtIn({
    name: 'search_memory',
    title: 'Search memories strictly',
    description:
      'Finds the memories that really answer a query; a weak match is no hit, so few or none is a normal result, and says nothing about what else is stored. Use it when you know roughly where to look (path_filter) or which type you want, or when recall gives too much. With too many hits, narrow by path_filter or memory_type before you raise limit. Not for a quick look before every answer (recall), not for filling a prompt (recall_context), not for changing anything.',
    annotations: READS,
    input: SearchInput,
    output: Type.Object({ hits, below_bar }),
    scope,
    async run({ store, caller }, args) {
      const found = await searchMemory(store, caller, args);
      const isFull = found.hits.length === args.limit;
      const isNarrow = [args.path_filter, args.memory_type].some(isGiven);
      const advice =
        isFull && !isNarrow ? ' The limit is full: give a path_filter before a higher limit.' : '';
      const below = `${found.below_bar} more below the bar (words of the query, but no answer).`;
      const text = `${memoryList(found.hits)}${counted(found.hits.length, 'hit')}, ${below}${advice}`;
      return { text: withReasons(text, found.hits), data: found };
    },
  }),
  builtIn({
    name: 'recall',
    title: 'Recall memories',
    description:
      'Quick and forgiving: whatever shares words with the query, or has ones much like them, the best first. Use it before answering, when something said earlier may matter and you do not know how it was worded. Low scores are weak matches: do not take them for answers. Not when a wrong hit would do harm (search_memory), not when many memories shall fit a budget (recall_context).',
    annotations: READS,
    input: SearchInput,
    output: Type.Object({ hits }),
    scope,
    async run({ store, caller }, args) {
      const found = await recall(store, caller, args);
      const text = `${memoryList(found.hits)}${counted(found.hits.length, 'hit')}.`;
      return { text: withReasons(text, found.hits), data: found };
    },
  }),
  builtIn({
    name: 'recall_context',
    title: 'Pack memories for a prompt',
    description:
      'Packs whole memories, the best first, into a budget of tokens that is never exceeded. Use it at the start of a task, to bring preferences, decisions and the state of a project into the prompt at once. Not for a single fact (search_memory), not for browsing (list_memories).',
    annotations: READS,
    input: MemoryContextQuery,
    output: MemoryContextAnswer.properties.data,
    scope,
    async run({ store, caller }, args) {
      const pack = await recallContext(store, caller, args);
      const { used_tokens, max_tokens } = pack.budget;
      const figures = `${counted(pack.items.length, 'memory')}, ${used_tokens} of ${max_tokens} tokens, ${pack.omitted} more left out.`;
      const packed = `${UNTRUSTED}\n\n${fenced(pack.context_text)}\n\n`;
      return { text: `${pack.items.length === 0 ? '' : packed}${figures}`, data: pack };
    },
  }),
  builtIn({
    name: 'explain_memory',
    title: 'Explain a memory',
    description:
      'Says where a memory comes from and, with a query, word by word why it answers it or does not. Use it when a hit surprises you or one that you expected is missing. Not for finding memories: it needs the reference of one.',
    annotations: READS,
    input: Type.Object({ reference: MemoryReference, ...MemoryExplainQuery.properties }),
    output: MemoryExplainedAnswer.properties.data,
    scope,
    async run({ store, caller }, { reference, query }) {
      const { memory, ...why } = await explainMemory(store, caller, reference, query);
      const shown = shownMemory(memory);
      const reasons = why.explanation ? `\n\n${JSON.stringify(why.explanation)}` : '';
      const origin = `\n\nProvenance: ${JSON.stringify(shown.provenance)}`;
      return {
        text: `${UNTRUSTED}\n\n${memoryText({ ...shown, ...why })}${origin}${reasons}`,
        data: { memory: shown, ...why },
      };
    },
  }),
];

function isGiven(filter: string | undefined): boolean {
  return filter !== undefined && !['', '%'].includes(filter.trim());
}

function withReasons(text: string, found: readonly { reference: string; explanation?: unknown }[]) {
  const reasons = found.filter(({ explanation }) => explanation !== undefined);
  const lines = reasons.map((hit) => `\n${hit.reference}: ${JSON.stringify(hit.explanation)}`);
  return `${text}${lines.join('')}`;
}
