import { LRUCache } from 'lru-cache';
import type { Config } from '../config.ts';
import type { Store } from '../store/store.ts';
import { type EmbeddingEndpoint, fetchVectors } from './client.ts';
import { embeddedText } from './text.ts';

/** A search waits no longer than this for the vector of its words. */
const QUERY_PATIENCE_MS = 300;
const BATCH_PATIENCE_MS = 30_000;
/** After a fault the endpoint is left alone for so long. */
const PAUSE_MS = 5_000;
const MAX_PAUSE_MS = 60_000;
const BATCH = 32;
/** Tools that are looked at for missing vectors in one turn of the event loop. */
const SLICE = 1_000;
const MAX_KNOWN = 500;
const REFUSED = 'the endpoint refuses texts';

export type Embedder = ReturnType<typeof createEmbedder>;

/** The endpoint of the settings, or undefined when they name none: then nothing is ever asked. */
export function endpointOf(config: Config): EmbeddingEndpoint | undefined {
  const { embeddingsUrl: url, embeddingsModel: model, embeddingsApiKey: apiKey } = config;
  return url === '' ? undefined : { url, model, apiKey };
}

/** Vectors for searches, and for tools in the background. `note` is told of each fault. */
export function createEmbedder(
  endpoint: EmbeddingEndpoint,
  store: Store,
  note: (fault: string) => void,
) {
  const known = new LRUCache<string, Uint8Array>({ max: MAX_KNOWN });
  const stopped = new AbortController();
  let isFailing = false;
  let pausedUntil = 0;
  let running: Promise<void> | undefined;

  async function ask(texts: readonly string[], patienceMs: number) {
    const signal = AbortSignal.any([AbortSignal.timeout(patienceMs), stopped.signal]);
    return fetchVectors(endpoint, texts, signal);
  }

  async function askFor(text: string): Promise<Uint8Array | undefined> {
    try {
      const [vector] = (await ask([text], QUERY_PATIENCE_MS)) ?? [];
      if (vector === undefined) throw new Error(REFUSED);
      known.set(text, vector);
      isFailing = false;
      return vector;
    } catch (error) {
      isFailing = true;
      pausedUntil = performance.now() + PAUSE_MS;
      note(`searching without embeddings: ${reasonOf(error)}`);
      return undefined;
    }
  }

  /** The vectors of texts; in halves where the endpoint refuses some, down to the one it refuses. */
  async function vectorsOf(texts: readonly string[]): Promise<(Uint8Array | undefined)[]> {
    const made = await ask(texts, BATCH_PATIENCE_MS);
    if (made !== undefined || texts.length === 1) return made ?? [undefined];
    const middle = Math.ceil(texts.length / 2);
    const first = await vectorsOf(texts.slice(0, middle));
    return [...first, ...(await vectorsOf(texts.slice(middle)))];
  }

  /**
   * Gives every tool that has none for its revision its vector. @throws Error when it cannot; a tool
   * that the endpoint refuses keeps no other from theirs.
   */
  async function catchUp(): Promise<void> {
    const { vectors } = store;
    let hasRefused = false;
    for (let after: number | undefined = 0; after !== undefined; ) {
      const slice = vectors.missingAfter(after, SLICE, endpoint.model);
      for (let at = 0; at < slice.tools.length; at += BATCH) {
        const batch = slice.tools.slice(at, at + BATCH);
        const made = await vectorsOf(batch.map(embeddedText));
        hasRefused ||= made.includes(undefined);
        if (made.every((vector) => vector === undefined)) throw new Error(REFUSED);
        await vectors.put(
          endpoint.model,
          batch.map(({ id, revision }, index) => ({ id, revision, vector: made[index] })),
        );
      }
      after = slice.last;
      await new Promise(setImmediate);
    }
    if (hasRefused) throw new Error(REFUSED);
  }

  return {
    model: endpoint.model,

    /**
     * The vector of a search's words, undefined when there is none in time. Of a fault only one search
     * feels anything: those after it do not wait until the endpoint answers one of them in time again.
     */
    async vectorOf(text: string): Promise<Uint8Array | undefined> {
      const former = known.get(text);
      if (former !== undefined) return former;
      if (!isFailing) return askFor(text);
      if (performance.now() >= pausedUntil) {
        pausedUntil = performance.now() + PAUSE_MS;
        askFor(text);
      }
      return undefined;
    },

    /** Runs `catchUp`, one at a time. */
    catchUp(): Promise<void> {
      running ??= catchUp().finally(() => {
        running = undefined;
      });
      return running;
    },

    /** Catches up now and whenever the catalogue changed, looking every `everyMs`; until `stop`. */
    start(everyMs: number): void {
      let seen = -1;
      let pause = everyMs;
      const look = async () => {
        const { catalogue } = store.versions();
        if (catalogue !== seen) {
          try {
            await this.catchUp();
            seen = catalogue;
            pause = everyMs;
          } catch (error) {
            pause = Math.min(MAX_PAUSE_MS, 2 * pause);
            if (!stopped.signal.aborted) note(`embedding tools: ${reasonOf(error)}`);
          }
        }
        if (!stopped.signal.aborted) setTimeout(look, pause).unref();
      };
      setTimeout(look, 0).unref();
    },

    stop(): void {
      stopped.abort();
    },
  };
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
