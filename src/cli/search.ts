import { type Command, InvalidArgumentError, Option } from 'commander';
import { type FilterParameters, toolFilter } from '../catalogue/list.ts';
import { renderTool } from '../catalogue/tool-document.ts';
import { STATUSES } from '../schemas/tool.ts';
import { RELEVANCE } from '../store/tool-queries.ts';
import type { ShownTool, ToolStatus } from '../store/tools.ts';
import { counted, say, withStore } from './context.ts';

const DESCRIPTION_WIDTH = 60;

/** The options by which commands choose tools. */
export interface FilterOptions {
  category?: string;
  status?: ToolStatus;
  author?: string;
  server?: string;
  tag?: string[];
  readOnly?: boolean;
  minSuccessRate?: number;
}

/** The filters of the list, as options of a command. */
export function addFilterOptions(command: Command): Command {
  return command
    .option('--category <category>', 'of this category')
    .addOption(new Option('--status <status>', 'of this status').choices(STATUSES))
    .option('--author <author>', 'by this author')
    .option('--server <server>', 'of this server')
    .option('--tag <tag...>', 'with any of these tags')
    .option('--read-only', 'with the read-only hint')
    .option('--no-read-only', 'without the read-only hint')
    .option('--min-success-rate <rate>', 'with at least this success rate, 0 to 1', parseRate);
}

/** The options as the list's filters. */
export function filterParameters(
  search: string | undefined,
  { tag, readOnly, minSuccessRate, ...texts }: FilterOptions,
): FilterParameters {
  const { category, status, author, server } = texts;
  const parameters = { category, status, author, server, search, tags: tag, read_only: readOnly };
  return Object.fromEntries(
    Object.entries({ ...parameters, min_success_rate: minSuccessRate }).filter(
      ([, value]) => value !== undefined,
    ),
  );
}

interface SearchOptions extends FilterOptions {
  exact?: boolean;
  explain?: boolean;
  limit: number;
  json?: true;
}

/** `toolcrib search` */
export function addSearch(program: Command): void {
  const command = program
    .command('search')
    .description(
      'find tools: the best answers to some words first, or exactly what a filter lets through',
    )
    .argument(
      '[words]',
      'words of which one is enough; "a phrase" and -without hold; with --exact all of the words, OR',
    )
    .option(
      '--exact',
      'as the search filter of the list: all words, anywhere inside a text, by name',
    )
    .option('--explain', 'with --json: say of each tool why it ranks where it does')
    .option('--limit <n>', 'how many to show, 1 to 1000', parseLimit, 20)
    .option('--json', 'one tool as JSON a line');
  addFilterOptions(command).action(
    async (
      words: string | undefined,
      { exact = false, explain = false, limit, json, ...options }: SearchOptions,
    ) => {
      const filter = toolFilter(filterParameters(words, options), !exact);
      const isRanked = !exact && filter.search !== undefined;
      const sorting = isRanked
        ? ({ sort: RELEVANCE, order: 'desc', explain } as const)
        : ({ sort: 'name', order: 'asc' } as const);
      const { tools, total, relevance } = await withStore((store) =>
        store.tools.list({ filter, ...sorting, size: limit, from: 0 }),
      );
      const lines = json
        ? tools.map((tool, at) => renderTool(tool, undefined, relevance?.[at]))
        : table(tools);
      for (const line of lines) process.stdout.write(`${line}\n`);
      say(`${tools.length} of ${counted(total, 'tool')}`);
    },
  );
}

function table(tools: readonly ShownTool[]): string[] {
  const width = Math.max(0, ...tools.map(({ name }) => name.length));
  return tools.map((tool) => {
    const { description } = JSON.parse(tool.document) as { description: string };
    const line = [...description.replace(/[\s\p{Cc}]+/gu, ' ')];
    const shown =
      line.length > DESCRIPTION_WIDTH
        ? `${line.slice(0, DESCRIPTION_WIDTH - 1).join('')}…`
        : line.join('');
    return `${tool.name.padEnd(width)}  ${tool.tool_id}  ${shown}`.trimEnd();
  });
}

function parseLimit(text: string): number {
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > 1000) throw new InvalidArgumentError('It must be between 1 and 1000.');
  return limit;
}

function parseRate(text: string): number {
  const rate = /^[01](\.\d{1,6})?$/.test(text) ? Number(text) : 2;
  if (rate > 1) throw new InvalidArgumentError('It must be a decimal number between 0 and 1.');
  return rate;
}
