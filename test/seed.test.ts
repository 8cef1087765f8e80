import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { runCli } from './cli/run-cli.ts';
import { BASE, startApp } from './helper.ts';

// The answers that Lucenia's page "List MCP tools" (0.7.0) prints, as texts: key order counts.

const DOCUMENT_SEARCH = `{
  "tool_id": "tool-abc123",
  "name": "document_search",
  "description": "Search through document collections using semantic similarity",
  "status": "active",
  "parameters": {
    "query": { "type": "string", "description": "Search query text", "required": true },
    "limit": {
      "type": "number",
      "description": "Maximum number of results to return",
      "required": false,
      "default": 10
    },
    "index": {
      "type": "string",
      "description": "Index to search in",
      "required": false,
      "default": "default"
    }
  },
  "metadata": { "category": "search", "version": "1.0.0", "author": "Lucenia Team" },
  "created_at": "2024-01-01T12:00:00Z",
  "updated_at": "2024-01-01T12:00:00Z",
  "usage_stats": { "total_calls": 1234, "success_rate": 0.98, "avg_execution_time_ms": 245 }
}`;

const TEXT_ANALYZER = `{
  "tool_id": "tool-def456",
  "name": "text_analyzer",
  "description": "Analyze text sentiment and extract key topics",
  "status": "active",
  "parameters": {
    "text": { "type": "string", "description": "Text to analyze", "required": true },
    "analysis_type": {
      "type": "string",
      "description": "Type of analysis to perform",
      "required": false,
      "default": "sentiment",
      "enum": ["sentiment", "topics", "entities", "all"]
    }
  },
  "metadata": { "category": "analysis", "version": "2.1.0", "author": "ML Team" },
  "created_at": "2024-01-02T08:30:00Z",
  "updated_at": "2024-01-05T14:20:00Z",
  "usage_stats": { "total_calls": 856, "success_rate": 0.95, "avg_execution_time_ms": 180 }
}`;

const SINGLE_TOOL = `{
  "success": true,
  "message": "Tool retrieved successfully",
  "data": {
    "tool_id": "tool-abc123",
    "name": "document_search",
    "description": "Search through document collections using semantic similarity",
    "status": "active",
    "parameters": {
      "query": { "type": "string", "description": "Search query text", "required": true },
      "limit": {
        "type": "number",
        "description": "Maximum number of results to return",
        "required": false,
        "default": 10
      }
    },
    "metadata": { "category": "search", "version": "1.0.0", "author": "Lucenia Team" },
    "created_at": "2024-01-01T12:00:00Z",
    "updated_at": "2024-01-01T12:00:00Z",
    "usage_stats": {
      "total_calls": 1234,
      "success_rate": 0.98,
      "avg_execution_time_ms": 245,
      "recent_calls": [
        { "timestamp": "2024-01-01T11:45:00Z", "execution_time_ms": 230, "success": true },
        { "timestamp": "2024-01-01T11:30:00Z", "execution_time_ms": 260, "success": true }
      ]
    }
  },
  "timestamp": "2024-01-01T12:00:00Z"
}`;

const EMPTY = `{
  "success": true,
  "message": "No tools found matching the criteria",
  "data": {
    "tools": [],
    "pagination": { "total": 0, "size": 10, "from": 0, "has_more": false },
    "filters_applied": { "category": "nonexistent", "status": null, "search": null }
  },
  "timestamp": "2024-01-01T12:00:00Z"
}`;

const NOT_FOUND = `{
  "success": false,
  "error": {
    "type": "NotFoundError",
    "message": "Tool with ID 'tool-nonexistent' not found",
    "details": { "tool_id": "tool-nonexistent" }
  },
  "timestamp": "2024-01-01T12:00:00Z"
}`;

const INVALID = `{
  "success": false,
  "error": {
    "type": "ValidationError",
    "message": "Invalid query parameters",
    "details": { "field": "size", "reason": "Size must be between 1 and 100" }
  },
  "timestamp": "2024-01-01T12:00:00Z"
}`;

/** The printed text in one line, its timestamp replaced by the one that was sent. */
function printed(text: string, body: string): string {
  const { timestamp } = JSON.parse(body) as { timestamp: string };
  assert.match(timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  return JSON.stringify({ ...JSON.parse(text), timestamp });
}

/** The app on a store that `toolcrib import` filled with these lines. */
async function startWith(t: TestContext, lines: readonly string[]) {
  const started = await startApp(t);
  const folder = started.config.databaseUrl.replace(/^file:|\/[^/]*$/g, '');
  const result = await runCli(folder, ['import', '-'], { input: lines.join('\n') });
  assert.equal(result.stderr, '');
  assert.equal(result.stdout, `${lines.length} created, 0 updated, 0 skipped, 0 refused\n`);
  assert.equal(result.code, 0);
  return started;
}

function inOneLine(text: string): string {
  return JSON.stringify(JSON.parse(text));
}

/** Tools that come after the two printed ones in name order, and none of them matches a filter. */
function fillers(count: number): string[] {
  return Array.from({ length: count }, (_, index) =>
    JSON.stringify({
      name: `zz_filler_${index}`,
      description: 'Fills the page',
      parameters: {},
      metadata: { category: 'utility' },
    }),
  );
}

test('the printed page: two tools, pagination and filters come out key for key', async (t) => {
  const { get } = await startWith(t, [
    ...fillers(23),
    inOneLine(TEXT_ANALYZER),
    inOneLine(DOCUMENT_SEARCH),
  ]);
  const response = await get('/tools');
  assert.equal(response.statusCode, 200);
  const { success, message, data } = response.json();
  assert.equal(success, true);
  assert.equal(message, 'Tools retrieved successfully');
  assert.equal(data.tools.length, 10);
  assert.equal(JSON.stringify(data.tools[0]), inOneLine(DOCUMENT_SEARCH));
  assert.equal(JSON.stringify(data.tools[1]), inOneLine(TEXT_ANALYZER));
  assert.equal(JSON.stringify(data.pagination), '{"total":25,"size":10,"from":0,"has_more":true}');
  assert.equal(
    JSON.stringify(data.filters_applied),
    '{"category":null,"status":null,"search":null}',
  );
  assert.deepEqual(Object.keys(response.json()), ['success', 'message', 'data', 'timestamp']);
  assert.deepEqual(Object.keys(data), ['tools', 'pagination', 'filters_applied']);
});

test('the empty answer', async (t) => {
  const { get } = await startWith(t, [inOneLine(DOCUMENT_SEARCH)]);
  const response = await get('/tools?category=nonexistent');
  assert.equal(response.statusCode, 200);
  assert.equal(response.body, printed(EMPTY, response.body));
});

test('the single tool with its two recent calls', async (t) => {
  const line = JSON.stringify(JSON.parse(SINGLE_TOOL).data);
  const { get } = await startWith(t, [line]);
  const response = await get('/tools/tool-abc123');
  assert.equal(response.statusCode, 200);
  assert.equal(response.body, printed(SINGLE_TOOL, response.body));
});

test('both errors', async (t) => {
  const { get } = await startApp(t);
  const notFound = await get('/tools/tool-nonexistent');
  assert.equal(notFound.statusCode, 404);
  assert.equal(notFound.body, printed(NOT_FOUND, notFound.body));
  const invalid = await get('/tools?size=500');
  assert.equal(invalid.statusCode, 400);
  assert.equal(invalid.body, printed(INVALID, invalid.body));
});

const REQUESTS: [path: string, names: string[]][] = [
  ['', ['document_search', 'filler', 'text_analyzer']],
  ['?size=20&from=10', []],
  ['?category=search&size=50', ['document_search']],
  ['?search=document%20analysis', []],
  ['?sort=created_at&order=desc', ['filler', 'text_analyzer', 'document_search']],
  [
    '?search=neural%20OR%20sentiment&category=analysis&status=active&sort=usage_stats.total_calls&order=desc',
    ['text_analyzer'],
  ],
  [
    '?sort=usage_stats.total_calls&order=desc&size=5',
    ['document_search', 'text_analyzer', 'filler'],
  ],
  ['?min_success_rate=0.95', ['document_search', 'text_analyzer']],
];

test('every example request of the page works as printed', async (t) => {
  const { app, authorization } = await startWith(t, [
    inOneLine(DOCUMENT_SEARCH),
    inOneLine(TEXT_ANALYZER),
    '{"name":"filler","description":"","parameters":{}}',
  ]);
  await app.listen({ host: '127.0.0.1', port: 0 });
  const address = app.server.address();
  assert.ok(address !== null && typeof address === 'object');
  for (const [query, names] of REQUESTS) {
    const url = `http://127.0.0.1:${address.port}${BASE}/tools${query}`;
    const response = await fetch(url, { headers: { authorization } });
    assert.equal(response.status, 200, query);
    const { data } = (await response.json()) as { data: { tools: { name: string }[] } };
    assert.deepEqual(
      data.tools.map((tool) => tool.name),
      names,
      query,
    );
  }
});
