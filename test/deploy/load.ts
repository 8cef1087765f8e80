import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { BASE, basic } from '../helper.ts';
import { PASSWORD, USER } from './processes.ts';

const CLIENTS = 40;
const SLOW = 10;
const headers = { authorization: basic(USER, PASSWORD), 'content-type': 'application/json' };

export interface Load {
  /** Ends when the server is gone. Counts complete answers, and those that broke off. */
  quick: Promise<{ answers: number; cut: number }>;
  /** Sends the rest of the requests that have been under way since the start. @returns statuses. */
  finishSlow: () => Promise<(number | string)[]>;
}

/** Clients that ask one after the other over connections kept alive, and slow writes beside them. */
export async function startLoad(port: number): Promise<Load> {
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  const count = { answers: 0, cut: 0 };
  const clients = Array.from({ length: CLIENTS }, () => askUntilGone(port, agent, count));
  const writes = await Promise.all(Array.from({ length: SLOW }, (_, at) => beginWrite(port, at)));
  return {
    quick: Promise.all(clients).then(() => {
      agent.destroy();
      return count;
    }),
    finishSlow: () => Promise.all(writes.map((finish) => finish())),
  };
}

async function askUntilGone(port: number, agent: Agent, count: { answers: number; cut: number }) {
  for (;;) {
    const call = request({ port, agent, headers, path: `${BASE}/tools` });
    const answer = await new Promise<IncomingMessage | undefined>((resolve) => {
      call.on('response', resolve).on('error', () => resolve(undefined));
      call.end();
    });
    if (answer === undefined) return;
    try {
      for await (const _ of answer);
      count.answers++;
    } catch {
      count.cut++;
    }
  }
}

/** A registration that waits for its body. @returns what sends it and waits for the answer. */
async function beginWrite(port: number, index: number): Promise<() => Promise<number | string>> {
  const body = JSON.stringify({ tools: [{ name: `slow_${index}`, description: '' }] });
  const call = request({
    port,
    agent: false,
    headers: { ...headers, 'content-length': body.length, expect: '100-continue' },
    method: 'POST',
    path: `${BASE}/tools`,
  });
  const status = new Promise<number | string>((resolve) => {
    call.on('response', (answer) => resolve(answer.resume().statusCode ?? 0));
    call.on('error', ({ message }) => resolve(message));
  });
  call.flushHeaders();
  // Now the server has read the beginning.
  await once(call, 'continue');
  call.write(body.slice(0, 10));
  return () => {
    call.end(body.slice(10));
    return status;
  };
}
