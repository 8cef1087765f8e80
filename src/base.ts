/** Lucenia's base path, and the newer one where the same handlers answer. */
export const BASE = '/_plugins/_ml/mcp';
export const AGENT_BASE = '/_plugins/_agent/mcp';
