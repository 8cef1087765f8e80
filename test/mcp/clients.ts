import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { BuiltInTool } from '../../src/mcp/built-in.ts';
import { startApp, type TestApp } from '../helper.ts';

/** How a client finds out what the server speaks. */
export const MODES = { legacy: 'legacy', auto: 'auto', modern: { pin: '2026-07-28' } } as const;
export type Mode = keyof typeof MODES;

export interface Listening extends TestApp {
  origin: string;
  /** The official client, connected as the user with every scope or by another header. */
  connect: (mode: Mode, options?: { path?: string; authorization?: string }) => Promise<Client>;
}

/** The real application, listening. */
export async function listen(
  t: TestContext,
  environment: Record<string, string> = {},
  moreTools: readonly BuiltInTool[] = [],
): Promise<Listening> {
  const started = await startApp(t, environment, undefined, moreTools);
  await started.app.listen({ host: '127.0.0.1', port: 0 });
  const origin = `http://127.0.0.1:${(started.app.server.address() as AddressInfo).port}`;
  return {
    ...started,
    origin,
    async connect(mode, { path = '/mcp', authorization = started.authorization } = {}) {
      const transport = new StreamableHTTPClientTransport(new URL(path, origin), {
        requestInit: { headers: { authorization } },
      });
      const client = new Client(
        { name: 'test', version: '1.0.0' },
        { versionNegotiation: { mode: MODES[mode] } },
      );
      await client.connect(transport);
      t.after(() => client.close());
      return client;
    },
  };
}
