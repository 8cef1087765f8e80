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
/** For each text: parsing stops the event loop, so a wrong endpoint may not send what it likes. */
const MAX_VECTOR_CHARACTERS = 32 * MAX_DIMENSIONS;
/** That it is the texts it does not take, and not who asks or when. */
const REFUSALS: readonly number[] = [400, 413, 422];

/**
 * Asks for the vectors of some texts, in their order, as `encodeVector` gives them; undefined when
 * the endpoint refuses these texts.
 * @throws Error in plain words when there is no right answer until the signal aborts.
 */
export async function fetchVectors(
  { url, model, apiKey }: EmbeddingEndpoint,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<Uint8Array[] | undefined> {
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
  if (!answer.ok) {
    await answer.body?.cancel();
    if (REFUSALS.includes(answer.status)) return undefined;
    throw new Error(`the endpoint answered ${answer.status}`);
  }
  const body = await readBody(answer, texts.length * MAX_VECTOR_CHARACTERS);
  return readVectors(body, texts.length);
}

async function readBody(answer: Response, most: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of answer.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > most) throw new Error('the answer is too large');
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
    if (!isVector(embedding)) throw new Error('the answer has no vectors');
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= count)
      throw new Error(`the answer has a vector of no text: ${index}`);
    vectors[index] = encodeVector(embedding);
  }
  const [first] = vectors;
  // Unlike map, from does not pass over a place that no vector came for.
  return Array.from(vectors, (vector) => {
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
