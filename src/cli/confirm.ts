import { createInterface } from 'node:readline/promises';
import { CliError, EXIT } from './context.ts';

/**
 * Asks before something is lost; `yes` answers for who was not asked.
 * @throws CliError when the answer is no, or when there is no terminal to ask on.
 */
export async function confirm(question: string, yes: boolean): Promise<void> {
  if (yes) return;
  if (!process.stdin.isTTY) {
    throw new CliError(`${question} There is no terminal to ask on: say --yes`, EXIT.usage);
  }
  const answer = await ask(`${question} [y/N] `);
  if (!/^y(es)?$/i.test(answer)) throw new CliError('Nothing was done');
}

/** Asks on the terminal; the answer without the white space around it. */
export async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await terminal.question(question)).trim();
  } finally {
    terminal.close();
  }
}
