import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { TestContext } from 'node:test';

/** Groups of words that mean the same: a text's vector counts the words of each group. */
const MEANINGS = [
  ['cat', 'feline', 'kitten'],
  ['dog', 'canine', 'puppy'],
  ['ship', 'vessel', 'boat'],
  ['a', 'the', 'of'],
];

export interface Endpoint {
  url: string;
  /** What it was asked, the newest last. */
  requests: { authorization: string | undefined; model: string; input: string[] }[];
  /** What it answers from now on: rightly, or this text with this status, or nothing at all. */
  answer: { status: number; body: string } | 'rightly' | 'never';
  /** What it answers 400 to, when a text has this word. */
  refuses: string | undefined;
}

/** A real HTTP server that embeds by counting words: the same text always gets the same vector. */
export async function startEndpoint(t: TestContext): Promise<Endpoint> {
  const server = createServer(async (request: IncomingMessage, response) => {
    const { model, input } = (await json(request)) as { model: string; input: string[] };
    endpoint.requests.push({ authorization: request.headers.authorization, model, input });
    if (endpoint.answer === 'never') return;
    const { refuses } = endpoint;
    if (refuses !== undefined && input.some((text) => text.includes(refuses))) {
      response.writeHead(400).end();
      return;
    }
    if (endpoint.answer !== 'rightly') {
      response.writeHead(endpoint.answer.status).end(endpoint.answer.body);
      return;
    }
    // Backwards: the index counts, not the order.
    const data = input.map((text, index) => ({ index, embedding: embed(text) })).reverse();
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ data }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const endpoint: Endpoint = {
    url: `http://127.0.0.1:${port}/v1/embeddings`,
    requests: [],
    answer: 'rightly',
    refuses: undefined,
  };
  return endpoint;
}

function embed(text: string): number[] {
  const words = text.toLowerCase().split(/[^a-z]+/);
  const counts = MEANINGS.map(
    (group) => words.filter((word) => group.includes(word.replace(/s$/, ''))).length,
  );
  return [...counts, 0.01];
}
