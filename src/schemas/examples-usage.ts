/** Examples of calls and usage for the OpenAPI document. */
const TIME = '2024-01-01T12:00:00Z';
const HOUR = '2024-01-01T11:00:00Z';
const END = '2024-01-01T12:00:00Z';

function success(message: string, data: unknown) {
  return { success: true, message, data, timestamp: TIME };
}

const call = { execution_time_ms: 230, success: true, caller: 'planner', call_id: 'c-1' };

export const historyCall = {
  tool_id: 'tool-abc123',
  timestamp: '2024-01-01T11:45:00Z',
  ...call,
  reporter: 'gateway',
};

export const report = { calls: [call] };

export const bulkReport = {
  calls: [
    { name: 'document_search', ...call },
    { tool_id: 'tool-abc123', execution_time_ms: 812.5, success: false, error: 'timeout' },
  ],
};

export const lines = bulkReport.calls.map((one) => `${JSON.stringify(one)}\n`).join('');

export const recorded = success('Calls recorded successfully', {
  recorded: 1,
  duplicate: 0,
  refused: 1,
  items: [
    { index: 0, status: 'recorded' },
    { index: 1, status: 'refused', reason: 'unknown_tool' },
  ],
});

export const duplicates = success('All calls had been recorded before', {
  recorded: 0,
  duplicate: 1,
  refused: 0,
  items: [{ index: 0, status: 'duplicate' }],
});

export const history = success('Calls retrieved successfully', {
  calls: [historyCall],
  pagination: { total: 1, size: 10, from: 0, has_more: false },
  filters_applied: { success: null, since: null, until: null, caller: null },
});

export const voided = success('Calls voided successfully', {
  reporter: 'gateway',
  since: HOUR,
  until: END,
  voided: 12,
});

const sums = { calls: 40, successes: 39, success_rate: 0.975, avg_execution_time_ms: 245.5 };
const numbers = {
  ...sums,
  p50_execution_time_ms: 231.4,
  p95_execution_time_ms: 402.7,
  p99_execution_time_ms: 811.3,
  errors: [{ error: 'timeout', calls: 1 }],
};
const series = {
  interval: 'hour',
  since: HOUR,
  until: END,
  totals: numbers,
  buckets: [{ start: HOUR, ...numbers }],
};
const tool = { tool_id: 'tool-abc123', name: 'document_search', ...sums };

export const toolUsage = success('Usage retrieved successfully', {
  tool_id: 'tool-abc123',
  ...series,
});

export const catalogueUsage = success('Usage retrieved successfully', {
  ...series,
  most_used: [tool],
  failing: [tool],
  never_used: { tools: [{ tool_id: 'tool-def456', name: 'sentiment_analyzer' }], total: 1 },
  group_by: 'server',
  groups: [{ key: 'search-server', ...sums }],
  groups_total: 1,
});
