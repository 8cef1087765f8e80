import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { BASE } from '../base.ts';
import { openStore } from '../store/store.ts';
import { readConfig, say } from './context.ts';
import { importFile, openInput } from './import.ts';

const TOOLS = fileURLToPath(new URL('../../demo/tools.jsonl', import.meta.url));

/** `toolcrib demo`: the server on a throw-away store, with the user of the documentation's examples. */
export function addDemo(program: Command): void {
  program
    .command('demo')
    .description('run the server with 40 example tools, user "username" and password "password"')
    .action(async () => {
      const { startServer } = await import('../server.ts');
      const folder = mkdtempSync(join(tmpdir(), 'toolcrib-demo-'));
      process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
      const databaseUrl = `file:${folder}/demo.db`;
      const user = { adminUser: 'username', adminPassword: 'password' };
      const store = openStore(databaseUrl);
      await importFile(store, openInput(TOOLS), { onConflict: 'error' });
      store.close();
      const config = { ...readConfig(), ...user, databaseUrl };
      const { listeningOrigin } = await startServer(config, say);
      say(`Try: curl -u username:password "${listeningOrigin}${BASE}/tools?pretty"`);
    });
}
