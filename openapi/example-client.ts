// A typed client of Toolcrib, made from the OpenAPI document:
//
//   npm install openapi-fetch openapi-typescript
//   npx openapi-typescript openapi.json -o schema.ts
import createClient from 'openapi-fetch';
import type { components, paths } from './schema.ts';

type Tool = components['schemas']['Tool'];
type ToolDefinition = components['schemas']['ToolDefinition'];
type ToolDetail = components['schemas']['ToolDetail'];
type ToolUpdate = components['schemas']['ToolUpdate'];

const TOOLS = '/_plugins/_ml/mcp/tools';
const TOOL = '/_plugins/_ml/mcp/tools/{tool_id}';

type ListQuery = NonNullable<paths[typeof TOOLS]['get']['parameters']['query']>;

/** A client that signs in with a user's name and password. */
export function connect(baseUrl: string, name: string, password: string) {
  const credentials = Buffer.from(`${name}:${password}`, 'utf8').toString('base64');
  return createClient<paths>({ baseUrl, headers: { Authorization: `Basic ${credentials}` } });
}

export type Client = ReturnType<typeof connect>;

/** What all errors have in common. */
interface ErrorAnswer {
  error: { type: string; message: string; details: { field?: string; reason?: string } };
}

/** A refusal: `field` says which value of the request is meant, when one is. */
export class Refused extends Error {
  readonly field: string | undefined;

  constructor({ error }: ErrorAnswer) {
    super(`${error.type}: ${error.details.reason ?? error.message}`);
    this.field = error.details.field;
  }
}

/** Every tool that matches, page by page. */
export async function* listTools(
  client: Client,
  filters: Omit<ListQuery, 'from'> = {},
): AsyncGenerator<Tool> {
  for (let from = 0; ; ) {
    const query = { size: 100, ...filters, from };
    const { data, error } = await client.GET(TOOLS, { params: { query } });
    if (error) throw new Refused(error);
    yield* data.data.tools;
    from += data.data.tools.length;
    if (!data.data.pagination.has_more) return;
  }
}

/** Registers tools, all or none; when names are taken, none, and gives these names. */
export async function registerTools(
  client: Client,
  tools: ToolDefinition[],
): Promise<{ registered: Tool[] } | { taken: string[] }> {
  const { data, error } = await client.POST(TOOLS, { body: { tools } });
  if (data) return { registered: data.data.tools };
  if (error.error.type === 'ConflictError') return { taken: error.error.details.names ?? [] };
  throw new Refused(error);
}

/** The tool with its ETag, or undefined when there is none. */
export async function getTool(
  client: Client,
  tool_id: string,
): Promise<{ tool: ToolDetail; etag: string } | undefined> {
  const { data, error, response } = await client.GET(TOOL, { params: { path: { tool_id } } });
  if (data) return { tool: data.data, etag: response.headers.get('ETag') ?? '' };
  if (error?.error.type === 'NotFoundError') return undefined;
  throw new Refused(error);
}

/** Changes a tool as it is now: reads it again when somebody else was faster. */
export async function updateTool(
  client: Client,
  tool_id: string,
  change: (tool: ToolDetail) => ToolUpdate | Promise<ToolUpdate>,
): Promise<Tool | undefined> {
  for (;;) {
    const found = await getTool(client, tool_id);
    if (found === undefined) return undefined;
    const { data, error } = await client.PUT(TOOL, {
      params: { path: { tool_id }, header: { 'If-Match': found.etag } },
      body: await change(found.tool),
    });
    if (data) return data.data;
    if (error.error.type !== 'PreconditionFailedError') throw new Refused(error);
  }
}

/** Whether there was a tool to remove. */
export async function removeTool(client: Client, tool_id: string): Promise<boolean> {
  const { error } = await client.DELETE(TOOL, { params: { path: { tool_id } } });
  if (error === undefined) return true;
  if (error.error.type === 'NotFoundError') return false;
  throw new Refused(error);
}
