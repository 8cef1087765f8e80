import { Command, CommanderError } from 'commander';
import { ConfigError } from '../config.ts';
import { AppError } from '../errors.ts';
import { VERSION } from '../version.ts';
import { addBackup } from './backup.ts';
import { addCheck } from './check.ts';
import { CliError, EXIT, say } from './context.ts';
import { addDemo } from './demo.ts';
import { addExport } from './export.ts';
import { addImport } from './import.ts';
import { addReindex } from './reindex.ts';
import { addRemove } from './remove.ts';
import { addRestore } from './restore.ts';
import { addSearch } from './search.ts';
import { addServe } from './serve.ts';
import { addToken } from './token.ts';
import { addTools } from './tools.ts';
import { addUser } from './user.ts';

const program = new Command('toolcrib')
  .description(
    'A self-hosted catalogue of MCP tools with their usage statistics, and the memories of agents',
  )
  .version(VERSION)
  .showHelpAfterError('(run it with --help for its options)')
  .addHelpText(
    'after',
    '\nSettings come from TOOLCRIB_* variables and .env; the README lists them.\nExit codes: 0 done, 1 failed or something was refused, 2 wrong usage.',
  );

addServe(program);
addImport(program);
addExport(program);
addSearch(program);
addTools(program);
addRemove(program);
addUser(program);
addToken(program);
addBackup(program);
addRestore(program);
addCheck(program);
addReindex(program);
addDemo(program);

try {
  exitOnUsageErrors(program);
  await program.parseAsync();
} catch (error) {
  process.exitCode = report(error);
}

/** Subcommands inherit nothing of this, so each is told. */
function exitOnUsageErrors(command: Command): void {
  command.exitOverride();
  for (const child of command.commands) exitOnUsageErrors(child);
}

function report(error: unknown): number {
  // Commander has printed its own message, or the help that was asked for.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT.usage;
  if (error instanceof CliError) {
    say(`toolcrib: ${error.message}`);
    return error.exitCode;
  }
  if (error instanceof ConfigError) {
    for (const line of error.message.split('\n')) say(`toolcrib: ${line}`);
    return EXIT.usage;
  }
  if (error instanceof AppError) {
    const { reason } = error.details;
    say(`toolcrib: ${error.message}${typeof reason === 'string' ? `: ${reason}` : ''}`);
    return EXIT.failed;
  }
  say(`toolcrib: ${error instanceof Error ? error.message : String(error)}`);
  return EXIT.failed;
}
