import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { generatePassword, passwordFault } from '../auth/passwords.ts';
import { CliError, EXIT } from './context.ts';

/**
 * The password for a user: a line of stdin if `fromStdin`, else typed twice on a terminal, else
 * generated. @throws CliError when it cannot be taken.
 */
export async function obtainPassword(
  fromStdin: boolean,
): Promise<{ password: string; generated: boolean }> {
  if (!fromStdin && !process.stdin.isTTY) {
    return { password: generatePassword(), generated: true };
  }
  const password = fromStdin ? allowed(await readLine()) : await askTwice();
  return { password, generated: false };
}

function allowed(password: string): string {
  const fault = passwordFault(password);
  if (fault !== undefined) throw new CliError(`The password ${fault}`);
  return password;
}

async function readLine(): Promise<string> {
  const [line = '', ...rest] = (await text(process.stdin)).replace(/\r?\n$/, '').split('\n');
  if (rest.length > 0) throw new CliError('stdin must be the password and no more', EXIT.usage);
  return line;
}

async function askTwice(): Promise<string> {
  const first = allowed(await ask('Password: '));
  const second = await ask('Once more: ');
  if (first !== second) throw new CliError('The two passwords differ; nothing was changed');
  return first;
}

/** What is typed is shown nowhere. */
function ask(prompt: string): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  process.stderr.write(prompt);
  return new Promise((resolve, reject) => {
    terminal.once('line', (line) => {
      resolve(line);
      terminal.close();
    });
    // Ctrl-C and Ctrl-D; after a line it says nothing any more.
    terminal.once('SIGINT', () => terminal.close());
    terminal.once('close', () => {
      process.stderr.write('\n');
      reject(new CliError('Interrupted; nothing was changed'));
    });
  });
}
