import type { Tool } from '@modelcontextprotocol/server';
import { Type } from '@sinclair/typebox';
import { meaningOf } from '../catalogue/list.ts';
import { shownTool } from '../catalogue/mcp-tool.ts';
import { ToolListQuery } from '../schemas/tool-list.ts';
import { RELEVANCE } from '../store/tool-queries.ts';
import { type BuiltInTool, builtIn } from './built-in.ts';
import { callCatalogueTool } from './catalogue-call.ts';
import { queryFilter } from './query-filter.ts';

const READS = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
const scope = 'tools:read';
const MAX_FOUND = 20;
const MAX_DESCRIBED = 10;
/** Characters of a description in a list of hits. */
const MAX_LINE = 200;

const { category, tags, read_only, min_success_rate } = ToolListQuery.properties;
const Name = Type.String({
  minLength: 1,
  maxLength: 128,
  description: 'Name of a tool in the catalogue',
});
const Call = Type.Object({
  name: Name,
  arguments: Type.Optional(
    Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: 'By the input schema that describe_tool gives',
    }),
  ),
});
const Anything = Type.Object({}, { additionalProperties: true });

/** Finding and calling tools of the catalogue, for clients that load few of them. */
export const CATALOGUE_TOOLS: readonly BuiltInTool[] = [
  builtIn({
    name: 'search_tools',
    title: 'Search tools',
    description:
      'Finds tools of the catalogue for a task said in plain words, the best first: name and first line of each. Use it whenever you need a tool that you do not have; then read the schema of a hit with describe_tool. Few words of what it shall do work better than a long sentence. Not for the tools that you already have.',
    annotations: READS,
    input: Type.Object({
      query: Type.String({ minLength: 1, maxLength: 1024, description: 'What the tool shall do' }),
      limit: Type.Integer({ minimum: 1, maximum: MAX_FOUND, default: 5, description: 'Most hits' }),
      category,
      tags,
      read_only,
      min_success_rate,
    }),
    output: Type.Object({
      tools: Type.Array(
        Type.Object({
          name: Type.String(),
          description: Type.String(),
          score: Type.Number({ description: 'How well it answers, 0 to 1' }),
          read_only: Type.Boolean(),
          callable: Type.Boolean(),
        }),
      ),
      total: Type.Integer({ description: 'How many have a word of the query' }),
    }),
    scope,
    async run({ seen, embedder }, { query, limit, ...filters }) {
      const filter = queryFilter(query, true, filters);
      const meaning = await meaningOf(embedder, filter);
      const found = await seen.tools.list({
        filter,
        sort: RELEVANCE,
        order: 'desc',
        size: limit,
        from: 0,
        ...(meaning?.vector && { meaning: { model: meaning.model, vector: meaning.vector } }),
      });
      const tools = found.tools.flatMap(({ document }, at) => {
        const tool = shownTool(document);
        return tool === undefined ? [] : [hit(tool, found.relevance?.[at]?.score ?? 0)];
      });
      const lines = tools.map(
        (tool) => `${tool.name}${tool.read_only ? ' [read-only]' : ''}: ${tool.description}`,
      );
      const end = `${tools.length} of ${found.total} tools; describe_tool gives their schemas.`;
      return { text: [...lines, end].join('\n'), data: { tools, total: found.total } };
    },
  }),
  builtIn({
    name: 'describe_tool',
    title: 'Describe tools',
    description:
      'Gives the whole definition of a few tools of the catalogue: description, input and output schema, hints. Use it before you call a tool that search_tools found. Not for finding tools: it needs exact names.',
    annotations: READS,
    input: Type.Object({
      names: Type.Array(Name, {
        minItems: 1,
        maxItems: MAX_DESCRIBED,
        description: 'Exact names, as search_tools gave them',
      }),
    }),
    output: Type.Object({ tools: Type.Array(Anything), unknown: Type.Array(Type.String()) }),
    scope,
    async run({ seen }, { names }) {
      const rows = await seen.tools.findByName(names);
      const byName = new Map(
        rows.filter(({ status }) => status === 'active').map((row) => [row.name, row.document]),
      );
      const wanted = [...new Set(names)];
      const tools = wanted.flatMap((name) => shownTool(byName.get(name) ?? '') ?? []);
      const unknown = wanted.filter((name) => !tools.some((tool) => tool.name === name));
      const missing = unknown.length > 0 ? `\nUnknown: ${unknown.join(', ')}` : '';
      return {
        text: `${tools.map((tool) => JSON.stringify(tool)).join('\n')}${missing}`,
        data: { tools, unknown },
      };
    },
  }),
  builtIn({
    name: 'call_read_tool',
    title: 'Call a read-only tool',
    description:
      'Calls a tool of the catalogue that is marked as read-only, and refuses any other. Use it for everything that only looks. For tools that change something there is call_tool, which needs an approval of its own.',
    annotations: { ...READS, openWorldHint: true },
    input: Call,
    output: Anything,
    scope,
    run: ({ seen }, { name }) => callCatalogueTool(seen, name, { readOnly: true }),
  }),
  builtIn({
    name: 'call_tool',
    title: 'Call a tool',
    description:
      'Calls any tool of the catalogue, also one that changes or deletes something. Use it when call_read_tool refuses, with the arguments that describe_tool asks for, and only for what the user wants done.',
    annotations: {
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: true,
    },
    input: Call,
    output: Anything,
    scope,
    run: ({ seen }, { name }) => callCatalogueTool(seen, name),
  }),
];

function hit({ name, description = '', annotations }: Tool, score: number) {
  const [line = ''] = description.split('\n', 1);
  return {
    name,
    description: line.length > MAX_LINE ? `${line.slice(0, MAX_LINE).toWellFormed()}…` : line,
    score,
    read_only: annotations?.readOnlyHint === true,
    callable: false,
  };
}
