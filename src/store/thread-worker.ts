import { parentPort, workerData } from 'node:worker_threads';
import { AppError } from '../errors.ts';
import { asAppError } from './database.ts';

/** What a thread is given. */
export interface ThreadData {
  file: string;
  script: string;
  cache: string | undefined;
}

/** What it is asked. */
export interface ThreadQuestion<Question> {
  number: number;
  question: Question;
}

/** What it answers: a value, or why there is none. */
export type ThreadAnswer<Answer> =
  | { number: number; value: Answer }
  | { number: number; fault: string; isUnavailable: boolean };

/** The file that this thread reads. */
export function threadFile(): string {
  return (workerData as ThreadData).file;
}

/** Answers what this thread is asked, and calls `close` when it is told to end. */
export function answerQuestions<Question, Answer>(
  answer: (question: Question) => Answer | Promise<Answer>,
  close: () => void,
): void {
  parentPort?.on('message', async (message: ThreadQuestion<Question> | 'close') => {
    if (message === 'close') {
      close();
      parentPort?.close();
      return;
    }
    const { number, question } = message;
    parentPort?.postMessage(await answered(number, () => answer(question)));
  });
}

async function answered<Answer>(
  number: number,
  work: () => Answer | Promise<Answer>,
): Promise<ThreadAnswer<Answer>> {
  try {
    return { number, value: await work() };
  } catch (error) {
    const known = asAppError(error);
    return {
      number,
      fault: error instanceof Error ? (error.stack ?? error.message) : String(error),
      isUnavailable: known instanceof AppError,
    };
  }
}
