// `npm run openapi`: writes what follows from the code: openapi/openapi.json, docs/reference.md and
// the tables of the README.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pino from 'pino';
import { buildApp } from '../src/app.ts';
import { createAuthenticator } from '../src/auth/authenticator.ts';
import { loadConfig } from '../src/config.ts';
import { createMetrics } from '../src/metrics/metrics.ts';
import { openStore } from '../src/store/store.ts';
import {
  type MetricFacts,
  type RoutesDocument,
  referencePage,
  routesTable,
  settingsTable,
} from './reference.ts';

const root = join(import.meta.dirname, '..');

/** The text of every generated file by its path in the project. */
export async function generateDocs(): Promise<Record<string, string>> {
  const { document, metrics } = await readApplication();
  const files = {
    'openapi/openapi.json': `${JSON.stringify(document, null, 2)}\n`,
    'docs/reference.md': referencePage(document, metrics),
  };
  const readme = join(root, 'README.md');
  if (!existsSync(readme)) return files;
  const tables = { routes: routesTable(document), settings: settingsTable() };
  return { ...files, 'README.md': fillTables(readFileSync(readme, 'utf8'), tables) };
}

/** The document and the metrics of the application with default settings. */
async function readApplication(): Promise<{ document: RoutesDocument; metrics: MetricFacts[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'toolcrib-docs-'));
  const { config } = loadConfig({ TOOLCRIB_DATABASE_URL: `file:${folder}/toolcrib.db` }, folder);
  const store = openStore(config.databaseUrl);
  const authenticator = createAuthenticator({ findUser: (name) => store.users.get(name) });
  const logger = pino({ level: 'silent' });
  const app = await buildApp({ config, store, authenticator, logger });
  try {
    await app.ready();
    return {
      document: app.swagger() as unknown as RoutesDocument,
      // Its types leave out `labelNames`.
      metrics: createMetrics(store).registry.getMetricsAsArray() as unknown as MetricFacts[],
    };
  } finally {
    await app.close();
    store.close();
    rmSync(folder, { recursive: true });
  }
}

/** Replaces what is between `<!-- name -->` and `<!-- /name -->` by the table of that name. */
export function fillTables(text: string, tables: Record<string, string>): string {
  return Object.entries(tables).reduce(
    (filled, [name, table]) =>
      filled.replace(
        new RegExp(`(<!-- ${name} -->\\n).*?(<!-- /${name} -->)`, 's'),
        (_all, start: string, end: string) => `${start}\n${table}\n\n${end}`,
      ),
    text,
  );
}

if (import.meta.main) {
  for (const [path, text] of Object.entries(await generateDocs())) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}
