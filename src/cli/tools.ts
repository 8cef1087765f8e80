import { type Command, InvalidArgumentError } from 'commander';
import { isObject, type JsonObject } from '../json.ts';
import { CliError, counted, say } from './context.ts';
import { type Ask, askServer } from './remote.ts';

const MAX_LIMIT = 100;

interface SearchOptions {
  category?: string;
  tag?: string[];
  readOnly?: boolean;
  limit: number;
  cursor?: string;
  json?: true;
}

/** `toolcrib tools search|list|info|schema` against a running server */
export function addTools(program: Command): void {
  const tools = program
    .command('tools')
    .description('ask a running server for its tools, as an agent sees them');
  const command = (name: string, description: string) =>
    tools
      .command(name)
      .description(description)
      .option('--url <url>', 'of the server; else TOOLCRIB_URL');

  pageOptions(
    command('search', 'find active tools by all of some words and by filters, in name order')
      .argument('[query]', 'words in name, description, tags or category; OR, "a phrase", -without')
      .option('--category <category>', 'of this category')
      .option('--tag <tag>', 'with this tag; again for any of several', collect)
      .option('--read-only', 'with the read-only hint')
      .option('--no-read-only', 'without the read-only hint'),
  ).action(async (query: string | undefined, options: SearchOptions & { url?: string }) => {
    const { category, tag, readOnly } = options;
    const filters = { query, category, tags: tag, readOnly };
    await showPage(askServer(options.url), filters, options);
  });

  pageOptions(command('list', 'all active tools, page by page')).action(
    async (options: SearchOptions & { url?: string }) =>
      showPage(askServer(options.url), {}, options),
  );

  command('info', 'say what a tool does and takes')
    .argument('<name>')
    .option('--json', 'its definition as JSON')
    .action(async (name: string, { url, json }: { url?: string; json?: true }) => {
      const tool = await describe(askServer(url), name);
      print(json ? JSON.stringify(tool, null, 2) : told(tool));
    });

  command('schema', 'the definition of a tool as JSON')
    .argument('<name>')
    .option('--json', 'as ever')
    .action(async (name: string, { url }: { url?: string }) => {
      print(JSON.stringify(await describe(askServer(url), name), null, 2));
    });
}

function pageOptions(command: Command): Command {
  return command
    .option('--limit <n>', `tools of a page, 1 to ${MAX_LIMIT}`, parseLimit, 50)
    .option('--cursor <cursor>', 'go on behind an earlier page')
    .option('--json', 'the answer as JSON');
}

async function showPage(
  ask: Ask,
  filters: Record<string, unknown>,
  { limit, cursor, json }: SearchOptions,
): Promise<void> {
  const params = { ...filters, limit, cursor, ...(!json && { detail: 'summary' }) };
  const page = await ask('tools/search', params as JsonObject);
  if (json) {
    print(JSON.stringify(page, null, 2));
    return;
  }
  const tools = page['tools'] as unknown as ShownTool[];
  for (const { name, description = '', annotations } of tools) {
    print(`${name}${hints(annotations)}`);
    if (description !== '') print(`  ${onOneLine(description)}`);
  }
  const total = Number(page['total']);
  say(total === 0 ? 'No tool matches' : `${tools.length} of ${counted(total, 'tool')}`);
  if (typeof page['nextCursor'] === 'string') say(`More with --cursor ${page['nextCursor']}`);
}

interface ShownTool {
  name: string;
  title?: string;
  description?: string;
  annotations?: Record<string, unknown>;
  inputSchema?: JsonObject;
  _meta?: { category?: string; tags?: string[] };
}

/** @throws CliError when no active tool has the name. */
async function describe(ask: Ask, name: string): Promise<ShownTool> {
  const called = { name: 'describe_tool', arguments: { names: [name] } };
  const { structuredContent, isError, content } = await ask('tools/call', called);
  if (isError) throw new CliError(JSON.stringify(content));
  const [tool] = (structuredContent as unknown as { tools: ShownTool[] }).tools;
  if (tool === undefined) throw new CliError(`No active tool is called '${name}'`);
  return tool;
}

function told({ name, title, description = '', annotations = {}, inputSchema, _meta }: ShownTool) {
  const lines = [`Tool: ${name}${title ? ` (${title})` : ''}`, `Description: ${description}`];
  lines.push('Annotations:');
  for (const [hint, value] of Object.entries(annotations)) lines.push(`  ${hint}: ${value}`);
  if (_meta?.category) lines.push(`Category: ${_meta.category}`);
  if (_meta?.tags?.length) lines.push(`Tags: ${_meta.tags.join(', ')}`);
  const { properties, required } = inputSchema ?? {};
  const entries = isObject(properties) ? Object.entries(properties) : [];
  lines.push(entries.length === 0 ? 'Parameters: none' : 'Parameters:');
  for (const [parameter, schema] of entries) {
    const { type = 'any', description: about } = isObject(schema) ? schema : {};
    const isRequired = Array.isArray(required) && required.includes(parameter);
    lines.push(`  ${parameter}: ${[type].flat().join(' or ')}${isRequired ? ' (required)' : ''}`);
    if (typeof about === 'string' && about !== '') lines.push(`    ${onOneLine(about)}`);
  }
  return lines.join('\n');
}

function hints(annotations: Record<string, unknown> = {}): string {
  const said = [
    annotations['readOnlyHint'] === true && 'read-only',
    annotations['destructiveHint'] === true && 'destructive',
  ].filter((hint) => hint !== false);
  return said.length === 0 ? '' : ` [${said.join(', ')}]`;
}

const onOneLine = (text: string) => text.replace(/[\s\p{Cc}]+/gu, ' ').trim();

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

const collect = (value: string, former: string[] = []) => [...former, value];

function parseLimit(text: string): number {
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw new InvalidArgumentError(`It must be between 1 and ${MAX_LIMIT}.`);
}
