import type { ErrorType } from '../errors.ts';

/** The time in all examples. */
export const EXAMPLE_TIME = '2024-01-01T12:00:00Z';

const definition = {
  name: 'document_search',
  description: 'Search through document collections using semantic similarity',
  parameters: {
    query: { type: 'string', description: 'Search query text', required: true },
    limit: {
      type: 'number',
      description: 'Maximum number of results to return',
      required: false,
      default: 10,
    },
  },
  metadata: { category: 'search', version: '1.0.0', author: 'Lucenia Team' },
};
const { name, description, parameters, metadata } = definition;
const times = { created_at: EXAMPLE_TIME, updated_at: EXAMPLE_TIME };
const tool = {
  tool_id: 'tool-abc123',
  name,
  description,
  status: 'active',
  parameters,
  metadata,
  ...times,
};
const usage = { total_calls: 1234, success_rate: 0.98, avg_execution_time_ms: 245 };
const noUsage = { total_calls: 0, success_rate: 0, avg_execution_time_ms: 0 };
const pagination = { total: 25, size: 10, from: 0, has_more: true };

function success(message: string, data: unknown) {
  return { success: true, message, data, timestamp: EXAMPLE_TIME };
}

/** Examples of bodies and answers for the OpenAPI document, in the words of Lucenia's documentation. */
export const registration = { tools: [definition] };

export const update = {
  description: 'Search through document collections by meaning',
  metadata: { ...metadata, version: '1.1.0' },
};

export const page = success('Tools retrieved successfully', {
  tools: [{ ...tool, usage_stats: usage }],
  pagination,
  filters_applied: { category: null, status: null, search: null },
});

export const detail = success('Tool retrieved successfully', {
  ...tool,
  usage_stats: {
    ...usage,
    recent_calls: [{ timestamp: '2024-01-01T11:45:00Z', execution_time_ms: 230, success: true }],
  },
});

export const versions = success('Versions retrieved successfully', {
  versions: [{ ...tool, revision: 1, replaced_at: '2024-01-05T14:20:00Z' }],
  pagination: { total: 1, size: 10, from: 0, has_more: false },
});

export const registered = success('Tools registered successfully', {
  tools: [{ ...tool, usage_stats: noUsage }],
});

export const updated = success('Tool updated successfully', {
  ...tool,
  ...update,
  updated_at: '2024-01-05T14:20:00Z',
  usage_stats: usage,
});

export const removed = success('Tool removed successfully', {
  tool_id: tool.tool_id,
  name,
  status: 'removed',
  removed_at: EXAMPLE_TIME,
  cleanup_summary: { dependent_agents: 0, active_sessions: 0, cached_results: 0 },
});

const mlTool = {
  name: 'WebSearchTool',
  description: 'Searches the web and answers with the best pages',
  attributes: {
    input_schema: {
      type: 'object',
      properties: { question: { type: 'string' } },
      required: ['question'],
    },
  },
};
const node = 'bO_Y2E7tRSSVAgcqEDvJTQ';

export const mlRegistration = { tools: [{ type: 'WebSearchTool', ...mlTool }] };
export const mlUpdate = { tools: [{ name: mlTool.name, description: 'Searches the web' }] };
export const mlRemoval = ['WebSearchTool', 'ListIndexTool'];
export const mlCreated = { [node]: { created: true } };
export const mlUpdated = { [node]: { updated: true } };
export const mlRemoved = { [node]: { removed: true } };
export const mlList = {
  tools: [
    {
      type: 'WebSearchTool',
      ...mlTool,
      create_time: 1704110400000,
      last_update_time: 1704110400000,
    },
  ],
};

const scopes = ['tools:read'];
const userId = 'usr-0123456789abcdef0123456789abcdef';
const user = { user_id: userId, name: 'ci', scopes, ...times };

export const newUser = { name: 'ci', password: 'correct horse battery', scopes };
export const userUpdate = { scopes: ['tools:read', 'tools:write'] };
export const passwordChange = {
  password: 'staple correct horse',
  current_password: 'correct horse battery',
};
export const whoami = success('Caller retrieved successfully', {
  user_id: userId,
  name: 'ci',
  scopes,
});
export const users = success('Users retrieved successfully', { users: [user] });
export const userCreated = success('User created successfully', user);
export const userFound = success('User retrieved successfully', user);
export const userUpdated = success('User updated successfully', { ...user, ...userUpdate });
export const passwordChanged = success('Password changed successfully', user);
export const userRemoved = success('User removed successfully', user);

export const alive = success('Alive', { status: 'alive' });
export const ready = success('Ready', { status: 'ready' });

/** What an error of each type may say. */
export const errorExamples: Record<
  ErrorType,
  { message: string; details: Record<string, unknown> }
> = {
  ValidationError: {
    message: 'Invalid query parameters',
    details: { field: 'size', reason: 'Size must be between 1 and 100' },
  },
  FilterError: {
    message: 'Invalid memory filter',
    details: {
      field: 'memory_type',
      reason: 'Memory type must be one of semantic, episodic, procedural, working, identity',
    },
  },
  AuthenticationError: {
    message: 'Authentication required',
    details: { reason: 'Send Basic credentials in the Authorization header' },
  },
  AuthorizationError: {
    message: "This needs the scope 'tools:write'",
    details: { scope: 'tools:write' },
  },
  NotFoundError: {
    message: "Tool with ID 'tool-nonexistent' not found",
    details: { tool_id: 'tool-nonexistent' },
  },
  MethodNotAllowedError: {
    message: 'Incorrect HTTP method for uri [/livez] and method [POST], allowed: [GET, HEAD]',
    details: { method: 'POST', allowed: ['GET', 'HEAD'] },
  },
  NotAcceptableError: {
    message: 'subscriptions/listen answers a stream',
    details: { field: 'Accept', reason: 'Accept must name text/event-stream' },
  },
  RequestTimeoutError: {
    message: 'The request was not sent completely in time',
    details: {},
  },
  ConflictError: {
    message: 'Tools with these names exist',
    details: {
      field: 'tools[0].name',
      reason: "A tool named 'document_search' exists",
      names: ['document_search'],
    },
  },
  PreconditionFailedError: {
    message: 'The tool was changed since it was read',
    details: {
      tool_id: 'tool-abc123',
      field: 'If-Match',
      reason: 'No entity tag of If-Match names the current definition; get the tool again',
    },
  },
  PayloadTooLargeError: { message: 'The body is larger than allowed here', details: {} },
  UriTooLongError: { message: 'A path parameter is longer than allowed', details: {} },
  UnsupportedMediaTypeError: {
    message: 'The body must be application/json',
    details: { field: 'Content-Type', reason: 'Content-Type must be application/json' },
  },
  RateLimitError: { message: 'Too many wrong passwords', details: { retry_after_seconds: 42 } },
  HeadersTooLargeError: {
    message: 'The request headers are larger than allowed',
    details: {},
  },
  InternalError: {
    message: 'Something went wrong here; the log has the request id',
    details: {},
  },
  ServiceUnavailableError: { message: 'The store cannot answer now', details: {} },
  StorageFullError: { message: 'The disk is full; nothing was written', details: {} },
};

/** A few lines of the metrics. */
export const metrics = `# HELP toolcrib_calls_waiting Calls that wait to be written
# TYPE toolcrib_calls_waiting gauge
toolcrib_calls_waiting 0
`;
