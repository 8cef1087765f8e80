import { MEMORY_TYPES, type MemoryType } from '../store/memory-rows.ts';
import { filterError } from './path-filter.ts';

/** Other words for types, on write: what the documentation of memory tools calls them. */
const ALIASES: Readonly<Record<string, MemoryType>> = { durable: 'semantic', event: 'episodic' };

/** Every word that names a type on write; `auto` lets the text decide. */
export const WRITTEN_TYPES = [...MEMORY_TYPES, 'durable', 'event', 'auto'] as const;
export type WrittenType = (typeof WRITTEN_TYPES)[number];

/**
 * The types that a filter lets through; undefined for all. `durable` is all but working.
 * @throws AppError FilterError for an unknown one.
 */
export function parseTypeFilter(filter: string): readonly MemoryType[] | undefined {
  const text = filter.trim();
  if (text === '' || text === '%' || text === 'auto') return undefined;
  if (text === 'durable') return MEMORY_TYPES.filter((type) => type !== 'working');
  const type = ALIASES[text] ?? MEMORY_TYPES.find((known) => known === text);
  if (type !== undefined) return [type];
  const known = [...MEMORY_TYPES, 'durable', 'event', '%'];
  throw filterError('memory_type', `Memory type must be one of ${known.join(', ')}`);
}

const IDENTITY = /^\W*(i am|i'm|my name is|the user is|(the )?user's name|call me)\b/i;
const WORKING = /^\W*(todo|wip|in progress|currently|right now|next step|draft)\b/i;
const PROCEDURAL =
  /^\W*(always|never|how to|to \w+,|first,|step 1|steps:|run |use |when(ever)? .*,|before \w+ing|after \w+ing)/i;
const EPISODIC =
  /\b\d{4}-\d\d-\d\d\b|\b(yesterday|today|tonight|last (night|week|month|year)|this morning)\b|\b(\d{1,2}(st|nd|rd|th)? (january|february|march|april|may|june|july|august|september|october|november|december)|(january|february|march|april|may|june|july|august|september|october|november|december) \d{1,2})\b/i;

/**
 * The type of a text whose writer left it to us. The first that holds: it ends at some time or
 * begins as work in hand → working; who someone is → identity; an instruction → procedural; a day
 * is named → episodic; anything else → semantic.
 */
function classify(content: string, expires: boolean): MemoryType {
  const text = content.slice(0, 2_000);
  if (expires || WORKING.test(text)) return 'working';
  if (IDENTITY.test(text)) return 'identity';
  if (PROCEDURAL.test(text)) return 'procedural';
  return EPISODIC.test(text) ? 'episodic' : 'semantic';
}

/** The stored type of a written one. */
export function storedType(written: WrittenType, content: string, expires: boolean): MemoryType {
  if (written === 'auto') return classify(content, expires);
  return ALIASES[written] ?? (written as MemoryType);
}
