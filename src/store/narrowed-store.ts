import { AppError } from '../errors.ts';
import type { CallStore } from './calls.ts';
import { createThread } from './thread.ts';
import { allowsName } from './tool-patterns.ts';
import type { Found, NewToolRow, StoredTool, ToolChanges, ToolStore } from './tools.ts';
import type { UsageStore } from './usage.ts';

/** The parts of a store that are about tools. */
export interface ToolParts {
  tools: ToolStore;
  calls: CallStore;
  usage: UsageStore;
}

/** What the thread is asked: a method of a part, seen through the patterns. */
export interface NarrowedQuestion {
  patterns: readonly string[];
  part: keyof ToolParts;
  method: string;
  args: unknown[];
}

/**
 * Narrows a store to the tools whose names patterns let through: the one gate of tool patterns. Reads
 * go to a thread whose connections have views before their tables (narrow-views.ts), so that none
 * can look past them and none holds up those who are not narrowed; writes see and touch the same
 * tools.
 */
export function createNarrowing(file: string, store: ToolParts) {
  const thread = createThread<NarrowedQuestion, unknown>('narrowed-worker', file);

  function narrowed(given: readonly string[]): ToolParts {
    const patterns = [...new Set(given)].sort();
    const allows = (name: string) => allowsName(patterns, name);
    function read<Part extends keyof ToolParts, Method extends keyof ToolParts[Part] & string>(
      part: Part,
      method: Method,
    ): ToolParts[Part][Method] {
      const ask = (...args: unknown[]) => thread.ask({ patterns, part, method, args });
      return ask as ToolParts[Part][Method];
    }
    function readSums<Method extends keyof UsageStore & string>(
      method: Method,
    ): UsageStore[Method] {
      const ask = read('usage', method) as (...args: unknown[]) => Promise<unknown>;
      return (async (...args: unknown[]) => {
        await store.calls.sumUp();
        return ask(...args);
      }) as unknown as UsageStore[Method];
    }
    return {
      tools: {
        getDetail: read('tools', 'getDetail'),
        rowId: read('tools', 'rowId'),
        list: read('tools', 'list'),
        getAfter: read('tools', 'getAfter'),
        findByName: read('tools', 'findByName'),
        listVersions: read('tools', 'listVersions'),
        exportAfter: read('tools', 'exportAfter'),
        async change(keys, decide) {
          const { result, after } = await store.tools.change(keys, (found) => {
            const decided = decide(visible(found, allows));
            assertAllowed(decided.changes, allows);
            return decided;
          });
          return { result, after: visible(after, allows) };
        },
      },
      calls: {
        ...store.calls,
        list: read('calls', 'list'),
        after: read('calls', 'after'),
        record: (report) => store.calls.record({ ...report, allows }),
        voidSome: (reporter, since, until) =>
          store.calls.voidSome(reporter, since, until, patterns),
      },
      usage: {
        series: readSums('series'),
        errors: readSums('errors'),
        callsAfter: read('usage', 'callsAfter'),
        groups: readSums('groups'),
        failing: readSums('failing'),
        neverUsed: read('usage', 'neverUsed'),
      },
    };
  }

  return { narrowed, close: () => thread.close() };
}

type Allows = (name: string) => boolean;

function visible({ byName, byToolId }: Found, allows: Allows): Found {
  const only = (tools: ReadonlyMap<string, StoredTool>) =>
    new Map([...tools].filter(([, { name }]) => allows(name)));
  return { byName: only(byName), byToolId: only(byToolId) };
}

/** The same whether there is a tool of that name or not. */
function assertAllowed({ insert = [], update = [] }: ToolChanges, allows: Allows): void {
  const rows: Pick<NewToolRow, 'name'>[] = [...insert, ...update.map(({ row }) => row)];
  const names = rows.map(({ name }) => name).filter((name) => !allows(name));
  const [first] = names;
  if (first === undefined) return;
  throw new AppError('AuthorizationError', 'The token does not allow tools of these names', {
    field: 'name',
    reason: `The name '${first}' is outside the token's tool patterns`,
    names,
  });
}
