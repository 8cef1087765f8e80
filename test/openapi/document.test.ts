import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { before, describe, test } from 'node:test';
import { fillTables, generateDocs } from '../../scripts/generate-docs.ts';
import { ERRORS } from '../../src/errors.ts';
import {
  createSchemaCheck,
  type Document,
  escapePointer,
  operationsOf,
  resolve,
} from './conformance.ts';

describe('the OpenAPI document', () => {
  let files: Record<string, string>;
  let document: Document;
  before(async () => {
    files = await generateDocs();
    document = JSON.parse(files['openapi/openapi.json'] ?? '');
  });

  test('the committed files are those that the code gives: else run `npm run openapi`', () => {
    for (const [path, text] of Object.entries(files)) {
      assert.ok(existsSync(path), path);
      assert.equal(readFileSync(path, 'utf8'), text, path);
    }
  });

  test('a second run gives the same bytes', async () => {
    assert.deepEqual(await generateDocs(), files);
  });

  test('what a pattern asks for can be said behind "must be", as faults do', () => {
    const descriptions = new Set<string>();
    JSON.stringify(document, (_, value) => {
      if (typeof value?.pattern === 'string' && value.description) {
        descriptions.add(value.description);
      }
      return value;
    });
    assert.ok(descriptions.size > 5);
    for (const description of descriptions) {
      const asked = description.split(': ').at(-1) ?? '';
      assert.match(asked, /^(?!(?:what|how|which|whose)\b)(?:[a-z0-9`]|RFC )/, description);
    }
  });

  test('every operation names, sums up, describes, tags and secures itself', () => {
    const ids = new Set<string>();
    for (const { operation } of operationsOf(document)) {
      const { operationId, summary, description, tags, security } = operation;
      assert.match(operationId, /^[a-z][A-Za-z]+$/);
      ids.add(operationId);
      assert.ok(summary && description && tags.length === 1 && security, operationId);
    }
    assert.equal(ids.size, operationsOf(document).length);
  });

  test('every path is absolute, once, with its parameters in braces, at a relative server', () => {
    assert.deepEqual(
      document.servers.map(({ url }) => url),
      ['/'],
    );
    for (const path of Object.keys(document.paths)) {
      assert.match(path, /^\/(_plugins\/_ml\/mcp\/[a-z_/{}]+|livez|readyz|metrics|openapi\.json)$/);
    }
  });

  test('every body and every answer with a body has an example that is valid', () => {
    const check = createSchemaCheck(document, false);
    for (const { path, method, operation } of operationsOf(document)) {
      const own = `/paths/${escapePointer(path)}/${method.toLowerCase()}`;
      const places = Object.entries(operation.responses).map(([status, answer]) => ({
        pointer: '$ref' in answer ? answer.$ref.slice(1) : `${own}/responses/${status}`,
        content: resolve<{ content?: object }>(document, answer).content,
      }));
      places.push({ pointer: `${own}/requestBody`, content: operation.requestBody?.content });
      for (const { pointer, content = {} } of places) {
        for (const [type, media] of Object.entries(content)) {
          const at = `${pointer}/content/${escapePointer(type)}`;
          assert.ok('example' in media, at);
          assert.equal(check(`${at}/schema`, media.example), '', at);
        }
      }
    }
  });

  test('every error has its status, its own component and its headers', () => {
    const headers = {
      AuthenticationError: ['WWW-Authenticate', 'X-Request-Id'],
      MethodNotAllowedError: ['Allow', 'X-Request-Id'],
      RateLimitError: ['Retry-After', 'X-Request-Id'],
      ServiceUnavailableError: ['Retry-After', 'X-Request-Id'],
      RequestTimeoutError: [],
      HeadersTooLargeError: [],
    } as Record<string, string[]>;
    for (const { operation } of operationsOf(document)) {
      for (const [status, answer] of Object.entries(operation.responses)) {
        if (!('$ref' in answer)) continue;
        const name =
          answer.$ref
            .split('/')
            .at(-1)
            ?.replace(/^OpenSearch/, '') ?? '';
        const [type = '', ...others] = name.split(/(?<=Error)Or/);
        for (const each of [type, ...others]) {
          assert.equal(ERRORS[each as keyof typeof ERRORS].status, Number(status));
        }
        const response = resolve<{ headers?: object }>(document, answer);
        assert.deepEqual(Object.keys(response.headers ?? {}), headers[type] ?? ['X-Request-Id']);
      }
    }
  });

  /** Query parameters that an operation means nothing without. */
  const NEEDED = [
    ...['reporter', 'since', 'until'].map((name) => `voidCalls ${name}`),
    ...['searchMemory', 'recallMemories', 'recallContext'].map((name) => `${name} query`),
  ];

  test('numbers in queries are bounded, and what has a default may be left out', () => {
    for (const { operation } of operationsOf(document)) {
      for (const { name, in: place, required, schema } of operation.parameters ?? []) {
        const isNeeded = place === 'path' || NEEDED.includes(`${operation.operationId} ${name}`);
        assert.equal(required, isNeeded, name);
        if (schema['type'] !== 'integer' && schema['type'] !== 'number') continue;
        assert.ok(typeof schema['minimum'] === 'number' && typeof schema['maximum'] === 'number');
      }
    }
    const { parameters = [] } = document.paths['/_plugins/_ml/mcp/tools']?.['get'] ?? {};
    assert.deepEqual(parameters.find(({ name }) => name === 'size')?.schema, {
      type: 'integer',
      minimum: 1,
      maximum: 100,
      default: 10,
    });
  });

  test('components have names, and each is used', () => {
    const text = JSON.stringify(document);
    for (const [kind, components] of Object.entries(document.components)) {
      for (const name of Object.keys(components)) {
        assert.doesNotMatch(name, /^def-/);
        if (kind === 'securitySchemes') assert.ok(text.includes(`{"${name}":["admin"]}`), name);
        else assert.ok(text.includes(`"$ref":"#/components/${kind}/${name}"`), `${kind} ${name}`);
      }
    }
    for (const [reference] of text.matchAll(/(?<="\$ref":")[^"]+/g)) {
      assert.ok(resolve(document, { $ref: reference }), reference);
    }
  });

  test('no body is a choice between schemas', () => {
    const bodies = operationsOf(document).flatMap(({ operation: { requestBody } }) =>
      Object.values(requestBody?.content ?? {}),
    );
    assert.ok(bodies.length > 5);
    for (const { schema } of bodies) {
      assert.doesNotMatch(
        JSON.stringify(resolve(document, schema as { $ref: string })),
        /"(one|any)Of"/,
      );
    }
  });
});

test('tables go between their markers, and nowhere else', () => {
  const text =
    'a\n<!-- routes -->\nold\n<!-- /routes -->\nb\n<!-- settings -->\n<!-- /settings -->\n';
  assert.equal(
    fillTables(text, { routes: '| $1 |', other: '| x |' }),
    'a\n<!-- routes -->\n\n| $1 |\n\n<!-- /routes -->\nb\n<!-- settings -->\n<!-- /settings -->\n',
  );
});
