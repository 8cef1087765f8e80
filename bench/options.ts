import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';

export interface Options {
  tools: number;
  rounds: number;
  /** Of one load. */
  seconds: number;
}

/** `--tools`, `--rounds`, `--seconds`, or TOOLS, ROUNDS, SECONDS. Floors are meant for the defaults. */
export function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      tools: { type: 'string', default: process.env['TOOLS'] ?? '100000' },
      rounds: { type: 'string', default: process.env['ROUNDS'] ?? '5' },
      seconds: { type: 'string', default: process.env['SECONDS'] ?? '5' },
    },
  });
  if (process.platform !== 'linux' || availableParallelism() < 2) {
    throw new Error('The benchmark needs Linux (taskset, /proc) and two cores');
  }
  return {
    tools: wholeNumber('tools', values.tools, 1_000),
    rounds: wholeNumber('rounds', values.rounds, 1),
    seconds: wholeNumber('seconds', values.seconds, 1),
  };
}

function wholeNumber(name: string, text: string, minimum: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= minimum) return value;
  throw new Error(`--${name} must be a whole number of at least ${minimum}`);
}
