/** Examples of memories and spaces for the OpenAPI document. */
const TIME = '2024-01-01T12:00:00Z';

function success(message: string, data: unknown) {
  return { success: true, message, data, timestamp: TIME };
}

export const newMemory = {
  content: 'When a token is missing, the identity of the gateway is the fallback.',
  path: 'projects/gateway',
  memory_type: 'auto',
  metadata: { ticket: 'GW-17' },
};

export const memory = {
  reference: 'mem-k3x4q2mzab7cd5efgh2j',
  path: 'projects/gateway',
  memory_type: 'semantic',
  content: newMemory.content,
  status: 'active',
  version: 1,
  importance: 0.5,
  confidence: 1,
  metadata: newMemory.metadata,
  provenance: {},
  agent_boundary: { agent_id: 'planner' },
  created_at: TIME,
  updated_at: TIME,
};

const { reference, path, memory_type, content, agent_boundary } = memory;
const explanation = {
  strength: 1.21,
  bar: 0.61,
  answers: true,
  words: [{ word: 'token', share: 0.4, found: true, in_label: false }],
  literals: [],
};
const hit = { reference, path, memory_type, content, score: 0.52, agent_boundary };

export const remembered = success('Memory remembered', { outcome: 'created', memory });
export const known = success('Memory was known', { outcome: 'duplicate', memory });
export const found = success('Memory retrieved successfully', memory);
export const updated = success('Memory updated successfully', { ...memory, version: 2 });
export const forgotten = success('Memory forgotten', { reference, mode: 'soft' });
export const restored = success('Memory restored', memory);

export const memoryUpdate = { content: 'The fallback is the identity of the node.' };

export const page = success('Memories retrieved successfully', {
  memories: [memory],
  pagination: { total: 1, size: 10, from: 0, has_more: false },
  filters_applied: { path_filter: 'projects/%', memory_type: null, status: null, search: null },
});

export const searched = success('Memories retrieved successfully', {
  hits: [{ ...hit, explanation }],
  below_bar: 3,
  filters_applied: { path_filter: null, memory_type: null },
});

export const recalled = success('Memories retrieved successfully', {
  hits: [hit],
  filters_applied: { path_filter: null, memory_type: null },
});

export const context = success('Memories retrieved successfully', {
  items: [{ ...hit, tokens: 22 }],
  context_text: `[${path}] ${content}\n`,
  budget: { max_tokens: 1200, used_tokens: 22, max_items: 8 },
  omitted: 3,
});

export const explained = success('Memory explained', { memory, score: 0.52, explanation });

export const history = success('Versions retrieved successfully', {
  versions: [{ version: 1, path, memory_type, content, replaced_at: TIME }],
  pagination: { total: 1, size: 10, from: 0, has_more: false },
});

export const lines = `${JSON.stringify(newMemory)}\n`;

export const imported = success('Memories imported', {
  created: 1,
  updated: 0,
  duplicate: 0,
  refused: 1,
  items: [{ index: 1, detail: 'Content is required' }],
});

const space = {
  space_id: 'spc-0123456789abcdef0123456789abcdef',
  name: 'platform',
  members: [{ principal: 'usr-0123456789abcdef0123456789abcdef', role: 'writer' }],
  created_at: TIME,
};
export const newSpace = { name: space.name, members: space.members };
export const spaceUpdate = { members: space.members };
export const spaces = success('Spaces retrieved successfully', { spaces: [space] });
export const spaceCreated = success('Space created successfully', space);
export const spaceUpdated = success('Space updated successfully', space);
export const spaceRemoved = success('Space removed successfully', space);
