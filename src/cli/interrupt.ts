import { CliError } from './context.ts';

/** Runs `work` with a signal that Ctrl-C and SIGTERM abort, so that it can tidy up before the end. */
export async function untilInterrupted<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const stop = () => controller.abort(new CliError('Interrupted; nothing was changed'));
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    return await work(controller.signal);
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
}
