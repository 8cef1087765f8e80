import { Type } from '@sinclair/typebox';
import { forget, restoreMemory, updateMemory } from '../memory/change.ts';
import { shownMemory } from '../memory/memory.ts';
import { getMemory, listMemories } from '../memory/read.ts';
import { remember } from '../memory/remember.ts';
import { pagination } from '../pagination.ts';
import { Pagination } from '../schemas/common.ts';
import {
  ForgottenAnswer,
  Memory,
  MemoryReference,
  MemoryUpdate,
  NewMemory,
  RememberedAnswer,
} from '../schemas/memory.ts';
import { ForgetQuery, MemoryListQuery } from '../schemas/memory-queries.ts';
import { type BuiltInTool, builtIn } from './built-in.ts';
import { memoryList, memoryText, UNTRUSTED } from './memory-text.ts';

const READS = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
const ADDS = { ...READS, readOnlyHint: false };
const CHANGES = { ...ADDS, destructiveHint: true };
const reference = MemoryReference;

/** Memories one by one: remember, change, forget, restore, get, list. */
export const MEMORY_TOOLS: readonly BuiltInTool[] = [
  builtIn({
    name: 'remember',
    title: 'Remember something',
    description:
      'Stores something that will still matter later: a fact, a preference, a decision, an instruction, how a task is done. Give it a path such as projects/x, and a semantic_key when a later version shall take its place. An equal content at the path is not stored twice. Not for small talk, not for secrets, and not for what a memory search has just told you.',
    annotations: ADDS,
    input: NewMemory,
    output: RememberedAnswer.properties.data,
    scope: 'memory:write',
    async run({ store, caller, config }, args) {
      const { outcome, memory } = await remember(store, caller, args, config.memorySecrets);
      const text = `${memory.reference} | ${memory.path} | ${memory.memory_type} | ${outcome}`;
      return { text, data: { outcome, memory: shownMemory(memory) } };
    },
  }),
  builtIn({
    name: 'update_memory',
    title: 'Update a memory',
    description:
      'Corrects, moves, reclassifies or archives one memory; fields that you leave out stay, null takes one away, and the former version is kept. Use it when the user corrects something that is stored. Not for something new (remember), not for taking something away (forget).',
    annotations: CHANGES,
    input: Type.Object({ reference, ...MemoryUpdate.properties }),
    output: Memory,
    scope: 'memory:write',
    async run({ store, caller, config }, { reference, ...changes }) {
      const memory = await updateMemory(store, caller, reference, changes, config.memorySecrets);
      const text = `${reference} | ${memory.path} | ${memory.memory_type} | version ${memory.version}`;
      return { text, data: shownMemory(memory) };
    },
  }),
  builtIn({
    name: 'forget',
    title: 'Forget a memory',
    description:
      'Takes one memory out of every search. soft (the default) can be undone by restore_memory; hard erases it for good; redact erases what it said and keeps that it was there. Use it for what is outdated or wrong, or when the user asks. Take the reference from a search and never guess it; before hard or redact, be sure that the user wants it.',
    annotations: CHANGES,
    input: Type.Object({ reference, ...Type.Omit(ForgetQuery, ['owner']).properties }),
    output: ForgottenAnswer.properties.data,
    scope: 'memory:write',
    async run({ store, caller }, { reference, mode, replacement_content }) {
      await forget(store, caller, reference, { mode, replacement: replacement_content });
      return { text: `${reference} | forgotten (${mode})`, data: { reference, mode } };
    },
  }),
  builtIn({
    name: 'restore_memory',
    title: 'Restore a memory',
    description:
      'Brings back a memory that was softly forgotten. Use it when forgetting was a mistake; list_memories with status deleted shows what can be restored. Not after hard: nothing is left then.',
    annotations: ADDS,
    input: Type.Object({ reference }),
    output: Memory,
    scope: 'memory:write',
    async run({ store, caller }, { reference }) {
      const memory = await restoreMemory(store, caller, reference);
      const text = `${reference} | ${memory.path} | ${memory.memory_type} | restored`;
      return { text, data: shownMemory(memory) };
    },
  }),
  builtIn({
    name: 'get_memory',
    title: 'Get one memory',
    description:
      'Gives one memory whole, with its metadata and provenance. Use it when a search gave you its reference and you need more than the content. Not for finding memories: references cannot be guessed.',
    annotations: READS,
    input: Type.Object({ reference }),
    output: Memory,
    scope: 'memory:read',
    async run({ store, caller }, { reference }) {
      const memory = shownMemory(await getMemory(store, caller, reference));
      const { content: _content, ...about } = memory;
      const details = JSON.stringify(about);
      return { text: `${UNTRUSTED}\n\n${memoryText(memory)}\n\n${details}`, data: memory };
    },
  }),
  builtIn({
    name: 'list_memories',
    title: 'List memories',
    description:
      'Pages through memories in a plain order, with exact filters and the total. Use it to see what there is at a path, or what was written last. Not for questions: it does not rank (search_memory, recall).',
    annotations: READS,
    input: Type.Omit(MemoryListQuery, ['owner']),
    output: Type.Object({ memories: Type.Array(Memory), pagination: Pagination }),
    scope: 'memory:read',
    async run({ store, caller }, args) {
      const { memories, total } = await listMemories(store, caller, args);
      const shown = memories.map(shownMemory);
      const text = `${memoryList(shown)}${shown.length} of ${total}, from ${args.from}.`;
      const block = pagination(total, args.size, args.from, shown.length);
      return { text, data: { memories: shown, pagination: block } };
    },
  }),
];
