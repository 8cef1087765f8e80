import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createToolbox } from '../../src/mcp/built-in-tools.ts';
import { SearchToolsParams } from '../../src/schemas/search-tools.ts';

/** The cells of the table rows of a document that begin with a name. */
function rows(file: string): string[][] {
  const lines = readFileSync(file, 'utf8').match(/^\| `.*\|$/gm) ?? [];
  return lines.map((line) => line.slice(2, -2).split(' | '));
}

test('docs/mcp.md has every built-in tool, in its order, with its scope', () => {
  const toolbox = createToolbox();
  const documented = rows('docs/mcp.md')
    .map(([name = '', , scope]) => [name.replaceAll('`', ''), scope?.replaceAll('`', '')])
    .filter(([name = '']) => /^\w+$/.test(name) && name !== 'initialize');
  assert.deepEqual(
    documented,
    [...toolbox].map(([name, { scope }]) => [name, scope]),
  );
});

test('docs/tools-search.md has every parameter, in its order', () => {
  const documented = rows('docs/tools-search.md').map(([name = '']) => name.replaceAll('`', ''));
  assert.deepEqual(documented, Object.keys(SearchToolsParams.properties));
});
