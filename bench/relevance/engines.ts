import type { Definition } from '../../src/catalogue/tool-document.ts';
import { startMiniSearch, startOrama } from './library-engines.ts';
import { startFts5, startLike, startTunedFts5 } from './sql-engines.ts';
import { startToolcrib } from './toolcrib-engine.ts';

/** An engine that holds the tools of one set. */
export interface Engine {
  /** Up to 50 names, the best first. */
  search(text: string): Promise<string[]> | string[];
  close?(): Promise<void> | void;
}

/** Fills an engine with tools. */
export type StartEngine = (tools: readonly Definition[]) => Promise<Engine> | Engine;

export const DEPTH = 50;

/** All that are compared; ours first. */
export const ENGINES: Readonly<Record<string, StartEngine>> = {
  toolcrib: startToolcrib,
  like: startLike,
  fts5: startFts5,
  'fts5-tuned': startTunedFts5,
  minisearch: startMiniSearch,
  orama: startOrama,
};
