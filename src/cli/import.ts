import { createReadStream, statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import {
  type ImportOptions,
  type ImportOutcome,
  importBatch,
  readImportedTool,
} from '../catalogue/import.ts';
import type { ImportedTool } from '../catalogue/import-shape.ts';
import { CONFLICT_POLICIES, type ConflictPolicy } from '../catalogue/register.ts';
import { createPrefixer } from '../catalogue/tool-name.ts';
import { AppError, type Fault } from '../errors.ts';
import { createValidatorCompiler } from '../http/validation.ts';
import { isObject } from '../json.ts';
import { NAMED_SCHEMAS } from '../schemas/named.ts';
import { ToolDefinition } from '../schemas/tool.ts';
import type { Store } from '../store/store.ts';
import { CliError, EXIT, say, withStore } from './context.ts';
import { readEntries } from './import-entries.ts';
import { createProgress } from './progress.ts';

/** Tools a transaction: each rewrites much the same pages of the indexes, so fewer are faster. */
const BATCH = 2000;

/** How many tools of a file had which outcome. */
export type ImportCounts = Record<ImportOutcome['outcome'], number>;

/** `toolcrib import` */
export function addImport(program: Command): void {
  program
    .command('import')
    .description(
      'import tools from JSON or JSON Lines: Lucenia\'s {"tools":[…]}, MCP\'s tools/list result, one tool a line, or our own export',
    )
    .argument('<file>', 'the file; - reads standard input')
    .option('--prefix', 'name the tools of a server server__tool')
    .addOption(
      new Option('--on-conflict <policy>', 'when a name exists: refuse, keep or update that tool')
        .choices(CONFLICT_POLICIES)
        .default('error'),
    )
    .option('--dry-run', 'say what would happen, and write nothing')
    .addHelpText(
      'after',
      '\nGood tools land, the others are reported on stderr with their line and the reason; then the exit code is 1.',
    )
    .action(
      async (
        file: string,
        options: { prefix?: true; onConflict: ConflictPolicy; dryRun?: true },
      ) => {
        const counts = await withStore((store) => importFile(store, file, options));
        const { created, updated, skipped, refused } = counts;
        const note = options.dryRun ? ' (dry run: nothing was written)' : '';
        process.stdout.write(
          `${created} created, ${updated} updated, ${skipped} skipped, ${refused} refused${note}\n`,
        );
        if (refused > 0) process.exitCode = EXIT.failed;
      },
    );
}

/** Imports a file, reporting what is refused on stderr. @throws CliError when it cannot be read. */
export async function importFile(
  store: Store,
  file: string,
  {
    prefix,
    onConflict,
    dryRun = false,
  }: { prefix?: boolean; onConflict: ConflictPolicy; dryRun?: boolean },
): Promise<ImportCounts> {
  const { input, size } = openInput(file);
  const progress = createProgress(size);
  const counts: ImportCounts = { created: 0, updated: 0, skipped: 0, refused: 0 };
  const options: ImportOptions = {
    onConflict,
    prefix: prefix ? createPrefixer() : undefined,
    checkDefinition: definitionChecker(),
  };
  const rehearsal = dryRun ? { names: new Set<string>() } : undefined;
  const seen = new Set<string>();
  let batch: { place: string; tool: ImportedTool }[] = [];
  let bytes = 0;

  function count(place: string, name: unknown, outcome: ImportOutcome): void {
    counts[outcome.outcome] += 1;
    if (outcome.outcome !== 'refused') return;
    progress.clear();
    const called = typeof name === 'string' ? ` ${JSON.stringify(name.slice(0, 128))}` : '';
    say(`${place}${called}: ${outcome.fault.field}: ${outcome.fault.reason}`);
  }

  async function land(): Promise<void> {
    const outcomes = await importBatch(
      store,
      batch.map(({ tool }) => tool),
      onConflict,
      rehearsal,
    );
    for (const [index, outcome] of outcomes.entries()) {
      const entry = batch[index];
      if (entry) count(entry.place, entry.tool.definition.name, outcome);
    }
    batch = [];
    seen.clear();
    // A server on the same file gets its turn to write; it asks every 5 to 25 ms.
    await delay(30);
  }

  for await (const entry of readEntries(input)) {
    bytes += entry.bytes;
    if ('fault' in entry) {
      count(entry.place, undefined, refusedBy({ field: 'line', reason: entry.fault }));
      continue;
    }
    try {
      const tool = readImportedTool(entry.value, options);
      const keys = [tool.definition.name, ...(tool.tool_id ? [`id ${tool.tool_id}`] : [])];
      if (batch.length >= BATCH || keys.some((key) => seen.has(key))) await land();
      for (const key of keys) seen.add(key);
      batch.push({ place: entry.place, tool });
    } catch (error) {
      if (!(error instanceof AppError) || error.type !== 'ValidationError') throw error;
      const name = isObject(entry.value) ? entry.value['name'] : undefined;
      const { field, reason } = error.details as unknown as Fault;
      count(entry.place, name, refusedBy({ field, reason }));
    }
    progress.update(bytes, `${counts.created + counts.updated} tools, ${counts.refused} refused`);
  }
  await land();
  progress.clear();
  return counts;
}

function refusedBy(fault: Fault): ImportOutcome {
  return { outcome: 'refused', fault };
}

function definitionChecker(): (definition: unknown) => readonly Fault[] {
  const validate = createValidatorCompiler(NAMED_SCHEMAS)({ schema: ToolDefinition });
  return (definition) => {
    const { error } = validate(definition);
    return error instanceof AppError ? [error.details as unknown as Fault] : [];
  };
}

function openInput(file: string): { input: AsyncIterable<Buffer>; size: number } {
  if (file === '-') return { input: process.stdin, size: 0 };
  try {
    const stat = statSync(file);
    if (stat.isDirectory()) throw new CliError(`${file} is a folder`);
    return { input: createReadStream(file, { highWaterMark: 1 << 20 }), size: stat.size };
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(`Cannot read ${file}: ${(error as NodeJS.ErrnoException).code}`);
  }
}
