const tool = {
  tool_id: 'tool-abc123',
  name: 'document_search',
  description: 'Search through document collections using semantic similarity',
  status: 'active',
  parameters: {
    query: { type: 'string', description: 'Search query text', required: true },
  },
  metadata: { category: 'search', version: '1.0.0', author: 'Lucenia Team' },
  created_at: '2024-01-01T12:00:00Z',
  updated_at: '2024-01-01T12:00:00Z',
};
const usage = { total_calls: 1234, success_rate: 0.98, avg_execution_time_ms: 245 };
const timestamp = '2024-01-01T12:00:00Z';

/** Examples of answers for the OpenAPI document, in the seed's words. */
export const page = {
  success: true,
  message: 'Tools retrieved successfully',
  data: {
    tools: [{ ...tool, usage_stats: usage }],
    pagination: { total: 25, size: 10, from: 0, has_more: true },
    filters_applied: { category: null, status: null, search: null },
  },
  timestamp,
};

export const detail = {
  success: true,
  message: 'Tool retrieved successfully',
  data: {
    ...tool,
    usage_stats: {
      ...usage,
      recent_calls: [{ timestamp: '2024-01-01T11:45:00Z', execution_time_ms: 230, success: true }],
    },
  },
  timestamp,
};

export const registered = {
  success: true,
  message: 'Tools registered successfully',
  data: {
    tools: [
      {
        ...tool,
        usage_stats: { total_calls: 0, success_rate: 0, avg_execution_time_ms: 0 },
      },
    ],
  },
  timestamp,
};
