import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { BASE, startApp, type TestApp } from '../helper.ts';
import type { Document } from './conformance.ts';

const AGENT_BASE = '/_plugins/_agent/mcp';

interface Route {
  /** As in the document: `/tools/{tool_id}`. */
  path: string;
  methods: string[];
}

/** Every registered path with its methods, read from Fastify's drawing of its route tree. */
function registeredRoutes({ app }: TestApp): Route[] {
  const above: string[] = [];
  return app
    .printRoutes()
    .split('\n')
    .flatMap((line) => {
      const [, indent = '', label = '', , methods] =
        /^(.*?)[└├]── (.*?)( \(([A-Z, -]+)\))?$/.exec(line) ?? [];
      above.splice(indent.length / 4, above.length, label);
      const path = above.join('').replaceAll(/:(\w+)/g, '{$1}');
      return methods === undefined ? [] : [{ path, methods: methods.split(', ') }];
    });
}

async function start(t: TestContext) {
  const started = await startApp(t);
  const document: Document = (await started.inject({ url: '/openapi.json' })).json();
  const routes = registeredRoutes(started);
  assert.ok(routes.length > 20);
  return { ...started, document, routes };
}

const isReader = ({ path }: Route) => path.startsWith('/docs');
/** Speaks JSON-RPC, which has a description of its own: docs/mcp.md. */
const isMcp = ({ path }: Route) => [BASE, AGENT_BASE, '/mcp', '/mcp/lean'].includes(path);
const isTwin = ({ path }: Route) => path.startsWith(AGENT_BASE);

test('every path that answers is in the document, but for the twins and the reader', async (t) => {
  const { document, routes } = await start(t);
  const paths = routes
    .filter((route) => !isReader(route) && !isTwin(route) && !isMcp(route))
    .map(({ path }) => path);
  assert.deepEqual(paths.sort(), Object.keys(document.paths).sort());
  const twins = routes
    .filter((route) => isTwin(route) && !isMcp(route))
    .map(({ path }) => path.replace(AGENT_BASE, BASE));
  assert.deepEqual(
    twins.sort(),
    paths.filter((path) => path.startsWith(BASE)),
  );
});

test('a method that is not in the document is 405, and Allow names those that are', async (t) => {
  const { document, routes, inject } = await start(t);
  for (const { path, methods } of routes.filter((one) => !isReader(one) && !isMcp(one))) {
    const documented = document.paths[path.replace(AGENT_BASE, BASE)] ?? {};
    const known = Object.keys(documented).map((method) => method.toUpperCase());
    if (known.includes('GET')) known.push('HEAD');
    assert.ok(methods.length > known.length, path);
    for (const method of methods.filter((name) => !known.includes(name))) {
      const url = path.replace('{tool_id}', 'tool-abc123').replace('{name}', 'username');
      const answer = await inject({ method: method as 'POST', url });
      assert.equal(answer.statusCode, 405, `${method} ${path}`);
      assert.equal(answer.headers.allow, known.sort().join(', '), `${method} ${path}`);
    }
  }
});
