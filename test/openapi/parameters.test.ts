import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startApp } from '../helper.ts';
import { type Document, operationsOf } from './conformance.ts';

/** Values just inside and just outside of what a parameter's schema allows. */
function probes(
  schema: Record<string, unknown>,
  example?: unknown,
): { taken: string[]; refused: string[] } {
  const { minimum, maximum, maxLength } = schema as Record<string, number>;
  if (Array.isArray(schema['enum'])) return { taken: schema['enum'], refused: ['', 'x'] };
  if (schema['type'] === 'boolean') return { taken: ['true', 'false'], refused: ['', '1', 'True'] };
  if (schema['type'] === 'array') return probes(schema['items'] as Record<string, unknown>);
  if (typeof schema['pattern'] === 'string') {
    return { taken: [String(example)], refused: ['', 'x', '2024-01-01'] };
  }
  if (schema['type'] === 'string') {
    assert.ok(maxLength, 'a text has a longest length');
    return { taken: ['x', 'x'.repeat(maxLength)], refused: ['x'.repeat(maxLength + 1)] };
  }
  assert.ok(minimum !== undefined && maximum !== undefined, 'a number has bounds');
  const refused = [minimum - 1, maximum + 1, '', `0${minimum}`, '1e0', '+1', 'x'];
  return { taken: [`${minimum}`, `${maximum}`], refused: refused.map(String) };
}

/** A well-formed value for the parameter of a path. */
function parameterOf(path: string): string {
  return path.includes('{reference}') ? `mem-${'a'.repeat(20)}` : 'tool-abc123';
}

test('parameters take what the document allows, and nothing beyond', async (t) => {
  const { inject } = await startApp(t);
  const document: Document = (await inject({ url: '/openapi.json' })).json();
  let count = 0;
  for (const { path, method, operation } of operationsOf(document)) {
    const example = operation.requestBody?.content['application/json']?.example;
    const send = (parameter: string, query = '') =>
      inject({
        method: method as 'GET',
        url: `${path.replace(/\{\w+\}/, parameter)}${query}`,
        ...(example !== undefined && {
          payload: JSON.stringify(example),
          headers: { 'content-type': 'application/json' },
        }),
      });

    const parameters = operation.parameters ?? [];
    for (const { name, in: place, schema, example } of parameters) {
      if (place === 'path') {
        assert.equal((await send('%20')).statusCode, 400, `${method} ${path}`);
      }
      // A wrong type is an error of its own, as is a path, and a name is that of a user: their texts
      // are tested beside their rules.
      if (place !== 'query' || ['memory_type', 'to'].includes(name)) continue;
      const { taken, refused } = probes(schema, example);
      // What the operation needs beside it, and the other end of a period.
      const others = parameters
        .filter((other) => other.in === 'query' && other.name !== name)
        .filter((other) => other.required || typeof other.schema['pattern'] === 'string')
        .map((other) => `&${other.name}=${other.example ?? 'x'}`)
        .join('');
      for (const value of taken) {
        // The one parameter that asks for another.
        const search = value === 'relevance' ? '&search=x' : '';
        const answer = await send(parameterOf(path), `?${name}=${value}${others}${search}`);
        assert.notEqual(answer.statusCode, 400, `${name}=${value}: ${answer.payload}`);
        count += 1;
      }
      for (const value of refused) {
        const answer = await send(
          parameterOf(path),
          `?${name}=${encodeURIComponent(value)}${others}`,
        );
        assert.equal(answer.statusCode, 400, `${name}=${value}`);
        assert.equal(answer.json().error.details.field.replace('[0]', ''), name);
      }
    }
  }
  assert.ok(count > 30);
});

test('the example of every body is taken', async (t) => {
  const { inject } = await startApp(t);
  const document: Document = (await inject({ url: '/openapi.json' })).json();
  const statuses: Record<string, number> = {};
  for (const { path, method, operation } of operationsOf(document)) {
    const example = operation.requestBody?.content['application/json']?.example;
    if (example === undefined) continue;
    const user = operation.tags.includes('Users');
    const answer = await inject({
      method: method as 'POST',
      url: path.replace(/\{\w+\}/, user ? 'ci' : parameterOf(path)),
      payload: JSON.stringify(example),
      headers: { 'content-type': 'application/json' },
    });
    statuses[operation.operationId] = answer.statusCode;
  }
  assert.deepEqual(statuses, {
    registerTools: 201,
    updateTool: 404,
    mlRegisterTools: 200,
    mlUpdateTools: 200,
    mlRemoveTools: 404,
    recordToolCalls: 404,
    recordCalls: 201,
    remember: 201,
    updateMemory: 404,
    importMemories: 200,
    createSpace: 201,
    updateSpace: 404,
    createUser: 201,
    updateUser: 200,
    changePassword: 200,
    createToken: 201,
  });
});
