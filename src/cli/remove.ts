import type { Command } from 'commander';
import { toolFilter } from '../catalogue/list.ts';
import type { Store } from '../store/store.ts';
import type { ToolFilter } from '../store/tool-queries.ts';
import { confirm } from './confirm.ts';
import { CliError, EXIT, withStore } from './context.ts';
import { createProgress } from './progress.ts';
import { addFilterOptions, type FilterOptions, filterParameters } from './search.ts';

const SLICE = 250;

/** `toolcrib remove` */
export function addRemove(program: Command): void {
  const command = program
    .command('remove')
    .description('remove the tools that a filter finds')
    .option('--name <name...>', 'with exactly these names')
    .option('--search <words>', 'that this search finds')
    .option('--all', 'all tools')
    .option('--yes', 'do not ask');
  addFilterOptions(command).action(async (options: RemoveOptions) => {
    await withStore(async (store) => {
      const names = await findNames(store, options);
      if (names.length === 0) throw new CliError('No tool matches');
      await confirm(`Remove ${names.length} tools (${preview(names)})?`, options.yes ?? false);
      const removed = await removeNames(store, names);
      process.stdout.write(`${removed} removed\n`);
    });
  });
}

interface RemoveOptions extends FilterOptions {
  name?: string[];
  search?: string;
  all?: true;
  yes?: true;
}

async function findNames(store: Store, options: RemoveOptions): Promise<string[]> {
  const filter = toolFilter(filterParameters(options.search, options));
  const isFiltered = Object.keys(filter).length > 0;
  const given = [options.all, options.name, isFiltered || undefined].filter(Boolean);
  if (given.length !== 1) {
    throw new CliError('Give filters, or --name, or --all (see remove --help)', EXIT.usage);
  }
  return options.name ?? namesOf(store, filter);
}

async function namesOf(store: Store, filter: ToolFilter): Promise<string[]> {
  const names: string[] = [];
  const sort = { filter, sort: 'name', order: 'asc', size: 1_000 } as const;
  for (let from = 0; ; from += sort.size) {
    const { tools } = await store.tools.list({ ...sort, from });
    names.push(...tools.map(({ name }) => name));
    if (tools.length < sort.size) return names;
  }
}

/** Names that are gone by now count as removed by someone else. */
async function removeNames(store: Store, names: readonly string[]): Promise<number> {
  const progress = createProgress(names.length);
  let removed = 0;
  for (let at = 0; at < names.length; at += SLICE) {
    const slice = names.slice(at, at + SLICE);
    const { result } = await store.tools.change({ names: slice }, ({ byName }) => {
      const remove = [...byName.values()].map(({ id }) => id);
      return { changes: { remove }, result: remove.length };
    });
    removed += result;
    progress.update(at, `${removed} removed`);
  }
  progress.clear();
  return removed;
}

function preview(names: readonly string[]): string {
  return `${names.slice(0, 3).join(', ')}${names.length > 3 ? ', …' : ''}`;
}
