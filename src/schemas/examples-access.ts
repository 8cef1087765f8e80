import { EXAMPLE_TIME } from './examples.ts';

export const tokenId = 'tcb_4fZk09QbT1aY';
const userId = 'usr-0123456789abcdef0123456789abcdef';
const pagination = { total: 1, size: 10, from: 0, has_more: false };

const success = (message: string, data: unknown) => ({
  success: true,
  message,
  data,
  timestamp: EXAMPLE_TIME,
});

export const newToken = {
  name: 'deploy agent',
  scopes: ['tools:read', 'memory:read'],
  read_paths: ['projects/%'],
  tool_patterns: ['github__*', '!*__delete_*'],
  expires_at: '2030-01-01T00:00:00Z',
};

const token = {
  token_id: tokenId,
  name: newToken.name,
  user_id: userId,
  user: 'ci',
  scopes: newToken.scopes,
  read_paths: newToken.read_paths,
  tool_patterns: newToken.tool_patterns,
  created_at: EXAMPLE_TIME,
  expires_at: newToken.expires_at,
};

export const tokenCreated = success('Token created successfully', {
  ...token,
  token: `${tokenId}_…`,
});
export const tokens = success('Tokens retrieved successfully', { tokens: [token], pagination });
export const tokenRevoked = success('Token revoked successfully', token);

export const act = {
  id: 1,
  at: EXAMPLE_TIME,
  principal: userId,
  action: 'token.create',
  subject: tokenId,
  details: { owner: userId, scopes: 'tools:read,memory:read' },
};
export const acts = success('Acts retrieved successfully', {
  acts: [act],
  pagination,
  filters_applied: { principal: null, action: 'token.create', since: null, until: null },
});
