import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { buildApp } from '../../src/app.ts';
import { createAuthenticator } from '../../src/auth/authenticator.ts';
import { createUser } from '../../src/auth/users.ts';
import { BASE } from '../../src/base.ts';
import type { Definition } from '../../src/catalogue/tool-document.ts';
import { loadConfig } from '../../src/config.ts';
import { MAX_QUERY_CHARACTERS } from '../../src/search/grammar.ts';
import { openStore } from '../../src/store/store.ts';
import { DEPTH, type Engine } from './engines.ts';

const USER = { name: 'relevance', password: 'a password of the measurement' };
/** Tools a request: the limits are 500 tools and 4 MiB. */
const BATCH = 50;

/** The product itself on a file of its own, through its REST API. */
export async function startToolcrib(tools: readonly Definition[]): Promise<Engine> {
  const folder = mkdtempSync(join(tmpdir(), 'toolcrib-relevance-'));
  const { config } = loadConfig({ TOOLCRIB_DATABASE_URL: `file:${folder}/toolcrib.db` }, folder);
  const store = openStore(config.databaseUrl);
  const authenticator = createAuthenticator({ findUser: (name) => store.users.get(name) });
  await createUser(store, { ...USER, scopes: ['tools:read', 'tools:write'] });
  const logger = pino({ level: 'silent' });
  const app = await buildApp({ config, store, authenticator, logger });
  const authorization = `Basic ${Buffer.from(`${USER.name}:${USER.password}`).toString('base64')}`;

  async function ask(method: 'GET' | 'POST', path: string, body?: object) {
    const answer = await app.inject({
      method,
      url: `${BASE}${path}`,
      headers: { authorization, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { payload: JSON.stringify(body) }),
    });
    if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${answer.payload}`);
    return answer.json().data;
  }

  for (let at = 0; at < tools.length; at += BATCH) {
    await ask('POST', '/tools', { tools: tools.slice(at, at + BATCH) });
  }
  return {
    async search(text) {
      const words = sentence(text);
      if (words.trim() === '') return [];
      const search = encodeURIComponent(words);
      const page = await ask('GET', `/tools?sort=relevance&size=${DEPTH}&search=${search}`);
      return page.tools.map(({ name }: { name: string }) => name);
    },
    async close() {
      await app.close();
      store.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** A sentence is not written in the grammar: its quotes, dashes and ORs are to mean nothing. */
function sentence(text: string): string {
  const plain = text
    .replaceAll('"', ' ')
    .replace(/(?<!\S)-+/g, ' ')
    .replace(/(?<!\S)OR(?!\S)/g, 'or');
  return [...plain].slice(0, MAX_QUERY_CHARACTERS).join('');
}
