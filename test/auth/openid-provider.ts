import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose';

export const ISSUER = 'https://id.example/realm';
export const AUDIENCE = 'toolcrib';

/** How the keys' address answers. */
export type Mood = 'well' | 'error' | 'garbage' | 'silent';

/** An OpenID provider as far as we ask one: signed tokens, and public keys over HTTP. */
export async function startProvider(t: TestContext) {
  const pairs = new Map<string, Awaited<ReturnType<typeof generateKeyPair>>>();
  for (const algorithm of ['RS256', 'ES256', 'Ed25519']) {
    pairs.set(algorithm, await generateKeyPair(algorithm, { extractable: true }));
  }
  const keys = await Promise.all(
    [...pairs].map(async ([alg, { publicKey }]) => ({
      ...(await exportJWK(publicKey)),
      kid: `key-${alg}`,
      alg,
    })),
  );
  const state = { mood: 'well' as Mood, asked: 0 };
  const server = createServer((_request, response) => {
    state.asked += 1;
    answer(response, state.mood, keys);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;

  /** A token with these claims; `kid` names another key than the one that signed. */
  async function sign(
    claims: Record<string, unknown> = {},
    by: { alg?: string; kid?: string; key?: CryptoKey } = {},
  ): Promise<string> {
    const { alg = 'RS256' } = by;
    const { kid = `key-${alg}`, key = pairs.get(alg)?.privateKey } = by;
    const now = Math.floor(Date.now() / 1000);
    const all = { iss: ISSUER, aud: AUDIENCE, sub: 'ada', iat: now, exp: now + 60, ...claims };
    if (key === undefined) throw new Error(`no key for ${alg}`);
    return new SignJWT(all).setProtectedHeader({ alg, kid }).sign(key);
  }

  return {
    state,
    keys,
    sign,
    settings: {
      TOOLCRIB_OPENID_ISSUER: ISSUER,
      TOOLCRIB_OPENID_AUDIENCE: AUDIENCE,
      TOOLCRIB_OPENID_JWKS_URL: `http://127.0.0.1:${port}/keys`,
    },
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function answer(response: ServerResponse, mood: Mood, keys: object[]): void {
  if (mood === 'silent') return;
  response.writeHead(mood === 'error' ? 500 : 200, { 'content-type': 'application/json' });
  response.end(mood === 'garbage' ? '<html>' : JSON.stringify({ keys }));
}
