import { createReadStream, statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import {
  type ImportOptions,
  type ImportOutcome,
  type ImportRun,
  importBatch,
  type PlacedTool,
  readImportedTool,
  uniqueKeys,
} from '../catalogue/import.ts';
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
/** Bytes of lines a transaction: it holds the lock, and its tools are in memory. */
const BATCH_BYTES = 8 * 1024 * 1024;

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
    .option(
      '--prefix',
      'name the tools of a server server__tool: the server with - for all but letters, digits, dots and dashes, -2 and so on after it where two servers become alike, and cut with a hash at 128 characters; tools without a server keep their names',
    )
    .option(
      '--server <name>',
      "the server of tools that name none, as in a tools/list result; our own export's stay without",
    )
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
        options: { prefix?: true; server?: string; onConflict: ConflictPolicy; dryRun?: true },
      ) => {
        // Before there is a store: a file that is not there leaves none behind.
        const source = openInput(file);
        const counts = await withStore(
          (store) => importFile(store, source, options),
          options.dryRun ? 'pretend' : 'create',
        );
        const { created, updated, skipped, refused } = counts;
        const note = options.dryRun ? ' (dry run: nothing was written)' : '';
        process.stdout.write(
          `${created} created, ${updated} updated, ${skipped} skipped, ${refused} refused${note}\n`,
        );
        if (refused > 0) process.exitCode = EXIT.failed;
      },
    );
}

/** Imports a file, reporting what is refused on stderr, in the order of the file. */
export async function importFile(
  store: Store,
  { input, size }: ImportSource,
  {
    prefix,
    server,
    onConflict,
    dryRun = false,
  }: { prefix?: boolean; server?: string; onConflict: ConflictPolicy; dryRun?: boolean },
): Promise<ImportCounts> {
  const progress = createProgress(size);
  const counts: ImportCounts = { created: 0, updated: 0, skipped: 0, refused: 0 };
  const options: ImportOptions = {
    server,
    prefix: prefix ? createPrefixer() : undefined,
    checkDefinition: definitionChecker(),
  };
  const run: ImportRun = { onConflict, dryRun, origins: new Map() };
  const seen = new Set<string>();
  let batch: PlacedTool[] = [];
  // What is to be reported next, in the order of the file; of the tools' outcomes nothing is known yet.
  let pending: { place: string; name: unknown; outcome?: ImportOutcome }[] = [];
  let bytes = 0;
  let batchBytes = 0;

  function count(place: string, name: unknown, outcome: ImportOutcome): void {
    counts[outcome.outcome] += 1;
    if (outcome.outcome !== 'refused') return;
    progress.clear();
    const called = typeof name === 'string' ? ` ${JSON.stringify(name.slice(0, 128))}` : '';
    const { field, reason } = outcome.fault;
    const report = `${place}${called}: ${field === '' ? '' : `${field}: `}${reason}`;
    // The parser quotes the file: one report stays one line, and commands no terminal.
    say(report.replace(/\p{Cc}+/gu, ' '));
  }

  async function land(): Promise<void> {
    const outcomes = batch.length === 0 ? [] : await importBatch(store, batch, run);
    for (const { place, name, outcome = outcomes.shift() } of pending) {
      if (outcome !== undefined) count(place, name, outcome);
    }
    const hasWritten = batch.length > 0 && !dryRun;
    batch = [];
    pending = [];
    seen.clear();
    batchBytes = 0;
    // A server on the same file gets its turn to write; it asks every 5 to 25 ms.
    if (hasWritten) await delay(30);
  }

  function refuse(place: string, name: unknown, { field, reason }: Fault): void {
    pending.push({ place, name, outcome: { outcome: 'refused', fault: { field, reason } } });
  }

  for await (const entry of readEntries(input)) {
    const { place } = entry;
    bytes += entry.bytes;
    batchBytes += entry.bytes;
    if (pending.length >= BATCH || batchBytes > BATCH_BYTES) await land();
    if ('fault' in entry) {
      refuse(place, undefined, { field: '', reason: entry.fault });
      continue;
    }
    try {
      const tool = readImportedTool(entry.value, options);
      const keys = uniqueKeys(tool);
      if (keys.some((key) => seen.has(key))) await land();
      for (const key of keys) seen.add(key);
      batch.push({ place, tool });
      pending.push({ place, name: tool.definition.name });
    } catch (error) {
      if (!(error instanceof AppError) || error.type !== 'ValidationError') throw error;
      const name = isObject(entry.value) ? entry.value['name'] : undefined;
      refuse(place, name, error.details as unknown as Fault);
    }
    progress.update(bytes, `${counts.created + counts.updated} tools, ${counts.refused} refused`);
  }
  await land();
  progress.clear();
  return counts;
}

function definitionChecker(): (definition: unknown) => readonly Fault[] {
  const validate = createValidatorCompiler(NAMED_SCHEMAS)({ schema: ToolDefinition });
  return (definition) => {
    const { error } = validate(definition);
    return error instanceof AppError ? [error.details as unknown as Fault] : [];
  };
}

/** A file's bytes, and how many they are; 0 when nobody knows. */
interface ImportSource {
  input: AsyncIterable<Buffer>;
  size: number;
}

/** Opens a file, or stdin for `-`. @throws CliError when it cannot be read. */
export function openInput(file: string): ImportSource {
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
