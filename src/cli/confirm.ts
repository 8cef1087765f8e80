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
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(`${question} [y/N] `);
    if (!/^y(es)?$/i.test(answer.trim())) throw new CliError('Nothing was done');
  } finally {
    terminal.close();
  }
}
