import type { CallToolResult, ServerContext } from '@modelcontextprotocol/server';
import { registerTools } from '../../src/catalogue/register.ts';
import type { BuiltInTool } from '../../src/mcp/built-in.ts';
import { failed } from '../../src/mcp/catalogue-call.ts';

// The tools that the conformance runner calls by these names; no server of ours has them.

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const SILENCE = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA==';
const TEXT = { type: 'text', text: 'This is a simple text response for testing.' } as const;
const IMAGE = { type: 'image', data: PIXEL, mimeType: 'image/png' } as const;
const AUDIO = { type: 'audio', data: SILENCE, mimeType: 'audio/wav' } as const;
const RESOURCE = {
  type: 'resource',
  resource: { uri: 'test://embedded', mimeType: 'text/plain', text: 'An embedded resource.' },
} as const;

const SCHEMA_2020_12 = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object' as const,
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
};

let changes = 0;

export const FIXTURES: readonly BuiltInTool[] = [
  {
    ...fixture('test_trigger_tool_change', async () => ({ content: [TEXT] })),
    async call({ seen }) {
      const tool = { name: `changed_${changes++}`, description: 'A fixture', parameters: {} };
      await registerTools(seen, [tool], 'error');
      return { content: [TEXT] };
    },
  },
  fixture('test_simple_text', async () => ({ content: [TEXT] })),
  fixture('test_image_content', async () => ({ content: [IMAGE] })),
  fixture('test_audio_content', async () => ({ content: [AUDIO] })),
  fixture('test_embedded_resource', async () => ({ content: [RESOURCE] })),
  fixture('test_multiple_content_types', async () => ({ content: [TEXT, IMAGE, RESOURCE] })),
  fixture('test_error_handling', async () =>
    failed('TEST', 'This tool intentionally returns an error for testing'),
  ),
  fixture('test_tool_with_progress', async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of progressToken === undefined ? [] : [0, 50, 100]) {
      await mcpReq.notify({
        method: 'notifications/progress',
        params: { progressToken: progressToken ?? 0, progress, total: 100 },
      });
    }
    return { content: [TEXT] };
  }),
  fixture('json_schema_2020_12_tool', async () => ({ content: [TEXT] }), SCHEMA_2020_12),
];

function fixture(
  name: string,
  call: (request: ServerContext) => Promise<CallToolResult>,
  inputSchema: BuiltInTool['shown']['inputSchema'] = { type: 'object' },
): BuiltInTool {
  return {
    scope: 'tools:read',
    shown: { name, description: 'A fixture', inputSchema },
    call: (_context, _args, request) => call(request),
  };
}
