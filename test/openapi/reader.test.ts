import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { startApp } from '../helper.ts';

/** As a gateway shows it that takes a base path away. */
const ORIGIN = 'https://gateway.example';
const GATEWAY_BASE = '/team/crib';

for (const page of ['/docs', '/docs/']) {
  test(`${page} shows the document, also below a gateway's base path`, async (t) => {
    const { app, inject } = await startApp(t);
    const pageUrl = `${ORIGIN}${GATEWAY_BASE}${page}`;

    /** What a browser on the page gets for a URL. */
    async function load(url: string) {
      const { origin, pathname } = new URL(url, pageUrl);
      assert.ok(
        origin === ORIGIN && pathname.startsWith(`${GATEWAY_BASE}/`),
        `${url} → ${pathname}`,
      );
      const answer = await app.inject({ url: pathname.slice(GATEWAY_BASE.length) });
      assert.equal(answer.statusCode, 200, pathname);
      return answer;
    }

    const html = await load(pageUrl);
    assert.match(String(html.headers['content-type']), /^text\/html/);
    assert.match(html.payload, /<title>Toolcrib<\/title>/);
    const assets = [...html.payload.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, url = '']) => url);
    assert.ok(assets.length >= 5);
    for (const url of assets) {
      const type = { css: 'text/css', png: 'image/png' }[/\.(\w+)$/.exec(url)?.[1] ?? ''];
      const answer = await load(url);
      assert.match(
        String(answer.headers['content-type']),
        new RegExp(`^${type ?? '.*javascript'}`),
      );
    }

    const script = await load(assets.find((url) => url.endsWith('swagger-initializer.js')) ?? '');
    const documentUrl = urlOfDocument(script.payload, pageUrl);
    const shown = (await load(documentUrl)).json();
    const { servers, ...document } = (await inject({ url: '/openapi.json' })).json();
    assert.deepEqual(servers, [{ url: '/', description: 'This server' }]);
    assert.deepEqual({ ...shown, servers: undefined }, { ...document, servers: undefined });
    // Requests from the page go to the server that the page is from.
    const server = new URL(shown.servers[0].url, documentUrl);
    assert.equal(server.href, `${ORIGIN}${GATEWAY_BASE}/`);
  });
}

/** Runs the page's own script, and gives the URL that it tells Swagger UI to load. */
function urlOfDocument(script: string, pageUrl: string): string {
  const told: { url?: string } = {};
  const SwaggerUIBundle = Object.assign(
    (options: { url: string }) => {
      told.url = options.url;
      return { initOAuth() {} };
    },
    { presets: {}, plugins: {} },
  );
  const window: { location: object; onload?: () => void } = { location: { href: pageUrl } };
  const logo = { appendChild() {} };
  const document = { createElement: () => ({}), querySelector: () => logo };
  runInNewContext(script, { window, document, SwaggerUIBundle, SwaggerUIStandalonePreset: {} });
  window.onload?.();
  return new URL(told.url ?? '', pageUrl).href;
}

test('a closed reader wants credentials for page, assets and document', async (t) => {
  const { app, inject } = await startApp(t, { TOOLCRIB_OPEN_DOCS: 'false' });
  for (const url of [
    '/docs',
    '/docs/json',
    '/docs/yaml',
    '/docs/static/index.css',
    '/openapi.json',
  ]) {
    const answer = await app.inject({ url });
    assert.equal(answer.statusCode, 401, url);
    assert.match(String(answer.headers['www-authenticate']), /^Basic /);
    assert.equal((await inject({ url })).statusCode, 200, url);
  }
});
