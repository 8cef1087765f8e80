import { mock, type TestContext } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { createToken } from '../../src/auth/tokens.ts';
import { definitionRow } from '../../src/catalogue/tool-document.ts';
import { updateTool } from '../../src/catalogue/update.ts';
import type { ReportedCall } from '../../src/store/call-writes.ts';
import type { Store } from '../../src/store/store.ts';
import { allowsName } from '../../src/store/tool-patterns.ts';
import type { NewToolRow } from '../../src/store/tools.ts';
import { NEVER_CALLED } from '../../src/store/usage-numbers.ts';

import { type DeclaredRoute, startAppWithRoutes } from '../http/declared-routes.ts';

export const HOUR_MS = 3_600_000;

const SERVERS = ['github', 'gitlab', 'files', 'mail'];
const VERBS = ['list', 'delete', 'create', 'read', 'send'];
const NOUNS = ['issues', 'folder', 'message', 'branch'];
/** Words that stand in few tools, so that a search can tell which of them it knows. */
const RARE = ['zebra', 'quokka', 'narwhal', 'okapi', 'axolotl', 'wombat'];

/** `github__list_issues` and others, each with words that only some have. */
export const NAMES = SERVERS.flatMap((server) =>
  VERBS.flatMap((verb) => NOUNS.map((noun) => `${server}__${verb}_${noun}`)),
);

interface Catalogue {
  app: FastifyInstance;
  store: Store;
  /** The header of a user with every scope, and of a token of that user with these patterns. */
  authorization: string;
  bearer: string;
  routes: readonly DeclaredRoute[];
}

/**
 * Two servers that went through the same: one with all tools and a token that is narrowed by
 * `patterns`, one that never had any but the tools which these let through.
 */
export async function twoCatalogues(t: TestContext, patterns: readonly string[]) {
  // The same moment for both: a caller may see times.
  if (!isTimeStill) mock.timers.enable({ apis: ['Date'], now: Date.now() });
  isTimeStill = true;
  const now = Date.now();
  const rows = NAMES.map((name, index) => toolRow(name, index, now));
  const narrowed = await start(t, patterns);
  const alone = await start(t, ['*']);
  await live(narrowed.store, rows, now);
  await live(
    alone.store,
    rows.filter(({ name }) => allowsName(patterns, name)),
    now,
  );
  return { narrowed, alone, rows };
}

let isTimeStill = false;

async function start(t: TestContext, tool_patterns: readonly string[]): Promise<Catalogue> {
  const { app, store, authorization, routes } = await startAppWithRoutes(t);
  const owner = await store.users.get('username');
  if (owner === undefined) throw new Error('no user');
  const scopes = owner.scopes.filter((scope) => scope !== 'admin');
  const { text } = await createToken(store, owner, { name: 'it', scopes, tool_patterns });
  return { app, store, authorization, bearer: `Bearer ${text}`, routes };
}

function toolRow(name: string, index: number, now: number): NewToolRow {
  const [server = '', rest = ''] = name.split('__');
  const rare = RARE[index % RARE.length] ?? '';
  const state = {
    tool_id: `tool-${index}`,
    status: index % 9 === 0 ? ('inactive' as const) : ('active' as const),
    created_at: now - index * 1_000,
    updated_at: now - index * 1_000,
  };
  const definition = {
    name,
    description: `Can ${rest.replace('_', ' ')} with the ${rare} of ${server}`,
    tags: [rest.split('_')[1] ?? '', rare],
    metadata: { category: rest.split('_')[0] ?? '', author: rare },
    annotations: { readOnlyHint: rest.startsWith('read') },
    server,
  };
  return {
    ...definitionRow(definition, state),
    ...state,
    revision: 1,
    ...NEVER_CALLED,
    versions: [],
  };
}

/** What happens to a catalogue: tools come, are called and updated, and some go. */
async function live(store: Store, rows: readonly NewToolRow[], now: number): Promise<void> {
  await store.tools.change({}, () => ({ changes: { insert: rows }, result: undefined }));
  const calls = rows.flatMap((row) => callsOf(row, now));
  for (let at = 0; at < calls.length; at += 500) {
    await store.calls.record({ reporter: 'usr-gateway', calls: calls.slice(at, at + 500) });
  }
  for (const { tool_id } of rows.filter(({ tool_id }) => numberOf(tool_id) % 4 === 1)) {
    await updateTool(store, tool_id, { description: `Changed ${RARE.length} zebras` });
  }
  const gone = rows.filter(({ tool_id }) => numberOf(tool_id) % 11 === 5);
  await store.tools.change({ toolIds: gone.map(({ tool_id }) => tool_id) }, ({ byToolId }) => ({
    changes: { remove: [...byToolId.values()].map(({ id }) => id) },
    result: undefined,
  }));
}

/** The tools are `tool-0` and so on. */
export function numberOf(tool_id: string): number {
  return Number(tool_id.slice('tool-'.length));
}

function callsOf({ tool_id }: NewToolRow, now: number): ReportedCall[] {
  const number = numberOf(tool_id);
  return Array.from({ length: (number * 7) % 30 }, (_, index) => {
    const success = (number + index) % 3 > 0;
    return {
      tool_id,
      timestamp: now - ((number * 31 + index * 17) % 70) * HOUR_MS,
      execution_time_ms: 10 + ((number * index) % 900) / 8,
      success,
      error: success ? null : `fault of ${number % 5}`,
      caller: index % 4 === 0 ? null : `agent-${(number + index) % 6}`,
      call_id: index % 2 === 0 ? `${number}-${index}` : null,
    };
  });
}
