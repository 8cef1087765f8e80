import type { Command } from 'commander';
import { toolFilter } from '../catalogue/list.ts';
import { removeTools } from '../catalogue/remove.ts';
import type { Store } from '../store/store.ts';
import type { ToolFilter } from '../store/tool-queries.ts';
import { confirm } from './confirm.ts';
import { CliError, counted, EXIT, say, withStore } from './context.ts';
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
      const { names, missing } = await findNames(store, options);
      if (names.length === 0) throw new CliError('No tool matches');
      if (missing.length > 0) {
        say(`There is no ${missing.join(', ')}`);
        process.exitCode = EXIT.failed;
      }
      await confirm(
        `Remove ${counted(names.length, 'tool')} (${preview(names)})?`,
        options.yes ?? false,
      );
      const removed = await removeInSlices(store, names);
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

/** The names of tools to remove, and those that were asked for and are not there. */
async function findNames(
  store: Store,
  options: RemoveOptions,
): Promise<{ names: string[]; missing: string[] }> {
  const filter = toolFilter(filterParameters(options.search, options));
  const isFiltered = Object.keys(filter).length > 0;
  const given = [options.all, options.name, isFiltered || undefined].filter(Boolean);
  if (given.length !== 1) {
    throw new CliError('Give filters, or --name, or --all (see remove --help)', EXIT.usage);
  }
  if (options.name === undefined) return { names: await namesOf(store, filter), missing: [] };
  const wanted = [...new Set(options.name)];
  const { result: found } = await store.tools.change({ names: wanted }, ({ byName }) => ({
    changes: {},
    result: byName,
  }));
  return {
    names: wanted.filter((name) => found.has(name)),
    missing: wanted.filter((name) => !found.has(name)),
  };
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

/** In slices, so that a server on the same file goes on. */
async function removeInSlices(store: Store, names: readonly string[]): Promise<number> {
  const progress = createProgress(names.length);
  let removed = 0;
  for (let at = 0; at < names.length; at += SLICE) {
    removed += await removeTools(store, names.slice(at, at + SLICE));
    progress.update(at, `${removed} removed`);
  }
  progress.clear();
  return removed;
}

function preview(names: readonly string[]): string {
  return `${names.slice(0, 3).join(', ')}${names.length > 3 ? ', …' : ''}`;
}
