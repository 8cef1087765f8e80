import type { Static } from '@sinclair/typebox';
import { getTool } from './catalogue/get.ts';
import { createToolList } from './catalogue/list.ts';
import { type ConflictPolicy, registerTools } from './catalogue/register.ts';
import { removeTool } from './catalogue/remove.ts';
import { type SearchToolsResult, searchTools } from './catalogue/search-tools.ts';
import { updateTool } from './catalogue/update.ts';
import { checkedBy } from './http/checked.ts';
import { type BulkCall, BulkCallReport } from './schemas/call.ts';
import { SearchToolsParams } from './schemas/search-tools.ts';
import {
  type ToolDefinition,
  type ToolDetail,
  ToolRegistration,
  ToolUpdate,
} from './schemas/tool.ts';
import { ToolListQuery, type ToolPage } from './schemas/tool-list.ts';
import { openStore } from './store/store.ts';
import { type RecordedCalls, recordCalls } from './usage/record-calls.ts';

export { AppError } from './errors.ts';
export type { BulkCall, RecordedCalls, SearchToolsResult, ToolDefinition };
export type CatalogueTool = Static<typeof ToolDetail>;
export type CataloguePage = Static<typeof ToolPage>;

/** Who calls were reported by, when they were recorded in process. */
const REPORTER = '';

export interface CatalogueOptions {
  /** Path of the SQLite file; it is made, with its folder, when it is not there. */
  file: string;
}

/** `tools/search`, with the size of a page (1 to 100, 50) as PraisonAI's registry calls it. */
export type CatalogueSearch = Omit<SearchToolsParams, 'limit'> & { pageSize?: number };

export type Catalogue = ReturnType<typeof openCatalogue>;

/**
 * The catalogue in this process, on the same file and by the same functions as a server; both may
 * use one file at once. Every method throws an `AppError` whose `type`, `message` and `details` are
 * those of the REST API.
 * @throws Error in one plain line when the file cannot be used.
 */
export function openCatalogue({ file }: CatalogueOptions) {
  const store = openStore(`file:${file}`);
  const listTools = createToolList(undefined, () => {});

  /** One tool with its usage numbers and its newest calls. @throws AppError NotFoundError. */
  async function get(toolId: string): Promise<CatalogueTool> {
    return JSON.parse((await getTool(store, toolId)).json);
  }

  return {
    get,

    /**
     * Registers tools, all or none, and gives them in that order.
     * @throws AppError ValidationError, ConflictError listing the names that are taken.
     */
    async register(
      tools: readonly ToolDefinition[],
      { onConflict = 'error' }: { onConflict?: ConflictPolicy } = {},
    ): Promise<CatalogueTool[]> {
      checkRegistration({ tools });
      const registered = await registerTools(store, tools, onConflict);
      return Promise.all(registered.tools.map(({ tool_id }) => get(tool_id)));
    },

    /**
     * Replaces what is given of a tool; the former definition is kept as a version.
     * @throws AppError ValidationError, NotFoundError, ConflictError (the name is taken).
     */
    async update(toolId: string, change: ToolUpdate): Promise<CatalogueTool> {
      checkUpdate(change);
      await updateTool(store, toolId, change);
      return get(toolId);
    },

    /** Removes a tool. @throws AppError NotFoundError. */
    async remove(toolId: string): Promise<void> {
      await removeTool(store, toolId);
    },

    /** A page of the list, by the parameters of `GET /tools`. @throws AppError ValidationError. */
    async list(query: Partial<ToolListQuery> = {}): Promise<CataloguePage> {
      const whole = { ...LIST_DEFAULTS, ...query };
      checkList(whole);
      return JSON.parse((await listTools(store, whole)).json);
    },

    /** Active tools as MCP shows them. @throws AppError ValidationError naming the parameter. */
    async search({ pageSize, ...params }: CatalogueSearch = {}): Promise<SearchToolsResult> {
      const asked = { ...params, ...(pageSize !== undefined && { limit: pageSize }) };
      checkSearch(asked);
      return searchTools(store, asked);
    },

    /** Records calls of tools by `tool_id` or `name`: on disk when it resolves. @throws AppError ValidationError. */
    async recordCalls(calls: readonly BulkCall[]): Promise<RecordedCalls> {
      checkCalls({ calls });
      return recordCalls(store, REPORTER, calls);
    },

    /** Closes the file; nothing else may be called then. */
    close: (): void => store.close(),
  };
}

// For callers without types: the schemas of the REST API.
const checkRegistration = checkedBy(ToolRegistration);
const checkUpdate = checkedBy(ToolUpdate);
const checkList = checkedBy(ToolListQuery);
const checkSearch = checkedBy(SearchToolsParams);
const checkCalls = checkedBy(BulkCallReport);

const LIST_DEFAULTS = { size: 10, from: 0, sort: 'name' } as const;
