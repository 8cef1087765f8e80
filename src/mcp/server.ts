import {
  fromJsonSchema,
  ProtocolError,
  ResourceNotFoundError,
  Server,
} from '@modelcontextprotocol/server';
import { searchTools } from '../catalogue/search-tools.ts';
import type { ToolsShown } from '../config.ts';
import { AppError } from '../errors.ts';
import { checkedBy } from '../http/checked.ts';
import { SearchToolsParams } from '../schemas/search-tools.ts';
import { asAppError } from '../store/database.ts';
import { VERSION } from '../version.ts';
import type { CallContext } from './built-in.ts';
import type { Toolbox } from './built-in-tools.ts';
import { callTool } from './call-tool.ts';
import { listTools } from './tools-list.ts';

const INVALID_PARAMS = -32_602;
const INTERNAL_ERROR = -32_603;
/** How long a client may keep a list (milliseconds). */
const TTL_MS = 60_000;

/** The name under which `tools/search` is announced. */
const SEARCH_EXTENSION = 'io.toolcrib/tools-search';

const PRIVATE = { ttlMs: TTL_MS, cacheScope: 'private' } as const;
const OPTIONS = {
  capabilities: {
    tools: { listChanged: true },
    prompts: {},
    resources: {},
    extensions: { [SEARCH_EXTENSION]: { version: '1', methods: ['tools/search'] } },
    experimental: { 'tools/search': {} },
  },
  cacheHints: {
    'server/discover': PRIVATE,
    'tools/list': PRIVATE,
    'prompts/list': PRIVATE,
    'resources/list': PRIVATE,
    'resources/templates/list': PRIVATE,
  },
  instructions:
    'A catalogue of tools and a store of memories. Find tools with search_tools, read their schemas with describe_tool; find memories with search_memory or recall, keep new ones with remember.',
};

/** Checked by the search itself, whose faults name the parameter. */
const AnyParams = fromJsonSchema({ type: 'object' });

export interface McpCall extends CallContext {
  shown: ToolsShown;
  toolbox: Toolbox;
  /** Told of what is a fault of the server. */
  onFault: (error: unknown) => void;
}

const searchParams = checkedBy(SearchToolsParams);

async function search({ seen, embedder }: McpCall, params: unknown) {
  return { ...(await searchTools(seen, searchParams(params), embedder)) };
}

/** The server of one request: it holds nothing from one to the next. */
export function createMcpServer(call: McpCall): Server {
  const server = new Server({ name: 'toolcrib', title: 'Toolcrib', version: VERSION }, OPTIONS);
  const answer = <Result>(work: Promise<Result>) => work.catch((error) => refuse(call, error));
  server.setRequestHandler('tools/list', ({ params }) => answer(listTools(call, params?.cursor)));
  server.setRequestHandler('tools/call', ({ params }, request) =>
    answer(callTool(call, params.name, params.arguments, request)),
  );
  server.setRequestHandler('tools/search', { params: AnyParams }, (params) =>
    answer(search(call, params)),
  );
  server.setRequestHandler('prompts/list', () => ({ prompts: [] }));
  server.setRequestHandler('resources/list', () => ({ resources: [] }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }));
  server.setRequestHandler('resources/read', ({ params }) => {
    throw new ResourceNotFoundError(params.uri);
  });
  return server;
}

/** @throws ProtocolError always: in JSON-RPC's terms, without what is not for the caller. */
function refuse({ onFault }: McpCall, error: unknown): never {
  const known = asAppError(error);
  if (!(known instanceof AppError)) {
    onFault(error);
    throw new ProtocolError(INTERNAL_ERROR, 'Something went wrong here');
  }
  const { reason } = known.details;
  const message = typeof reason === 'string' ? `${known.message}: ${reason}` : known.message;
  if (known.status >= 500) throw new ProtocolError(INTERNAL_ERROR, known.message);
  throw new ProtocolError(INVALID_PARAMS, message, known.details);
}
