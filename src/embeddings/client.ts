import { isObject } from '../json.ts';
import { encodeVector } from '../search/vectors.ts';

/** An OpenAI-compatible endpoint for embeddings. */
export interface EmbeddingEndpoint {
  /** Where to POST, such as `https://api.example.com/v1/embeddings`. */
  url: string;
  model: string;
  apiKey: string | undefined;
}

/** More than any model's, and it bounds what a wrong endpoint can put into the store. */
const MAX_DIMENSIONS = 8_192;
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/**
 * Asks for the vectors of some texts, in their order, as `encodeVector` gives them.
 * @throws Error in plain words when there is no right answer until the signal aborts.
 */
export async function fetchVectors(
  { url, model, apiKey }: EmbeddingEndpoint,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<Uint8Array[]> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
    },
    body: JSON.stringify({ model, input: texts, encoding_format: 'float' }),
    // A redirect could carry the key and the texts to anywhere.
    redirect: 'error',
    signal,
  });
  const body = await readBody(answer);
  if (!answer.ok) throw new Error(`the endpoint answered ${answer.status}`);
  return readVectors(body, texts.length);
}

async function readBody(answer: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of answer.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_ANSWER_BYTES) throw new Error('the answer is too large');
  }
  return text + decoder.decode();
}

function readVectors(body: string, count: number): Uint8Array[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    throw new Error('the answer is not JSON');
  }
  const data = isObject(parsed) ? parsed['data'] : undefined;
  if (!Array.isArray(data) || data.length !== count)
    throw new Error(`the answer has not ${count} vectors`);
  const vectors = new Array<Uint8Array | undefined>(count);
  for (const [place, item] of data.entries()) {
    const { embedding, index = place } = isObject(item) ? item : {};
    if (!isVector(embedding) || typeof index !== 'number')
      throw new Error('the answer has no vectors');
    vectors[index] = encodeVector(embedding);
  }
  const [first] = vectors;
  return vectors.map((vector) => {
    if (vector === undefined || vector.length !== first?.length) {
      throw new Error('the vectors have not one length');
    }
    return vector;
  });
}

function isVector(value: unknown): value is number[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= MAX_DIMENSIONS &&
    value.every((each) => typeof each === 'number' && Number.isFinite(each))
  );
}
