import { SCOPES } from '../src/auth/authorize.ts';
import { SETTINGS } from '../src/config.ts';
import { ERRORS } from '../src/errors.ts';

/** The parts of the OpenAPI document that the table of routes shows. */
export interface RoutesDocument {
  paths: Record<string, Record<string, { summary: string; security: Record<string, string[]>[] }>>;
}

/** A Markdown table; the cells are Markdown too. */
function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

const code = (text: string) => `\`${text}\``;

/** Every route with its method, path, scope and summary. */
export function routesTable({ paths }: RoutesDocument): string {
  const rows = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { summary, security }]) => [
      code(`${method.toUpperCase()} ${path}`),
      accessOf(security),
      summary,
    ]),
  );
  return table(['route', 'scope', 'does'], rows);
}

function accessOf(security: Record<string, string[]>[]): string {
  if (security.length === 0) return 'open';
  if (security.some((scheme) => Object.keys(scheme).length === 0))
    return 'open, unless `TOOLCRIB_OPEN_DOCS` is false';
  const [scope] = Object.values(security[0] ?? {}).flat();
  return scope === undefined ? 'any user' : code(scope);
}

/** Every setting with its default and meaning. */
export function settingsTable(): string {
  const rows = Object.values(SETTINGS).map((setting) => [
    'secret' in setting
      ? `${code(setting.name)}, or ${code(`${setting.name}_FILE`)}`
      : code(setting.name),
    setting.default === '' ? '–' : code(setting.default),
    setting.means,
  ]);
  return table(['variable', 'default', 'means'], rows);
}

function scopesTable(): string {
  return table(
    ['scope', 'allows'],
    Object.entries(SCOPES).map(([scope, means]) => [code(scope), means]),
  );
}

function errorsTable(): string {
  return table(
    ['`error.type`', 'status', 'means'],
    Object.entries(ERRORS).map(([type, { status, means }]) => [code(type), `${status}`, means]),
  );
}

/** What a registry tells of a metric. */
export interface MetricFacts {
  name: string;
  type: unknown;
  help: string;
  labelNames: readonly string[];
}

function metricsTable(metrics: readonly MetricFacts[]): string {
  const rows = metrics.map(({ name, type, help, labelNames }) => [
    code(name),
    String(type),
    labelNames.length === 0 ? '–' : labelNames.map(code).join(', '),
    help,
  ]);
  return table(['metric', 'type', 'labels', 'is'], rows);
}

/** docs/reference.md: the tables of routes, scopes, settings, metrics and errors. */
export function referencePage(document: RoutesDocument, metrics: readonly MetricFacts[]): string {
  return `# Reference

Written by \`npm run openapi\` from the code; bodies and answers are in
[openapi.json](../openapi/openapi.json).

## Routes

Every path below \`/_plugins/_ml/mcp\` answers below \`/_plugins/_agent/mcp\` too. HEAD follows GET;
any other method is 405 with \`Allow\`.

${routesTable(document)}

## Scopes

${scopesTable()}

## Settings

${settingsTable()}

## Metrics

At \`/metrics\`, with \`process_*\` and \`nodejs_*\` (CPU, memory, event loop lag, garbage collection) of
the process beside them.

${metricsTable(metrics)}

## Errors

${errorsTable()}
`;
}
