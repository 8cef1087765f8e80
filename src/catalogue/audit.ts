import type { AuditedTool, DerivedRow } from '../store/maintenance.ts';
import { MAX_RECENT_CALLS, usageNumbers } from '../store/usage-numbers.ts';
import { definitionOf, definitionRow } from './tool-document.ts';

/** What is wrong with a tool's derived values, and what they should be when that can be told. */
export interface ToolAudit {
  faults: string[];
  derived?: DerivedRow;
}

const FROM_DOCUMENT = [
  'tool_id',
  'name',
  'status',
  'category',
  'author',
  'server',
  'folded_name',
  'folded_description',
] as const;
const FROM_SUMS = ['success_rate', 'avg_execution_time_ms'] as const;

/** Derives everything anew from the document and the sums, and compares. */
export function auditTool(tool: AuditedTool): ToolAudit {
  if (tool.document === null) return { faults: ['it has no document'] };
  const derived = derive({ ...tool, document: tool.document });
  if (derived === undefined) return { faults: ['its document cannot be read'] };
  const faults = [
    ...FROM_DOCUMENT.filter((column) => tool[column] !== derived[column]).map(
      (column) => `its ${column} is not what its document gives`,
    ),
    ...FROM_SUMS.filter((column) => tool[column] !== derived[column]).map(
      (column) => `its ${column} is not what its sums give`,
    ),
  ];
  if (tool.document !== derived.document) faults.push('its document is not as it would be written');
  if (tool.words === null || Buffer.compare(tool.words, derived.words) !== 0) {
    faults.push('its words are not what its document gives');
  }
  if (Boolean(tool.read_only) !== derived.read_only) {
    faults.push('its read_only is not what its document gives');
  }
  if (!sameSet(tool.tags, derived.tags)) faults.push('its tags are not those of its document');
  if (tool.recent_calls !== derived.recent_calls) {
    faults.push(`its recent_calls are not at most ${MAX_RECENT_CALLS} calls`);
  }
  return { faults, derived };
}

function derive(tool: AuditedTool & { document: string }): DerivedRow | undefined {
  try {
    const { tool_id, status } = JSON.parse(tool.document);
    if (typeof tool_id !== 'string') return undefined;
    const { created_at, updated_at } = tool;
    const row = definitionRow(definitionOf(tool), { tool_id, status, created_at, updated_at });
    const recent_calls = tool.recent_calls && wellFormedCalls(tool.recent_calls);
    return { ...row, tool_id, ...usageNumbers(tool), recent_calls };
  } catch {
    return undefined;
  }
}

/** The text without what is no call, and without calls behind the tenth; null when none is left. */
function wellFormedCalls(text: string): string | null {
  let calls: unknown;
  try {
    calls = JSON.parse(text);
  } catch {
    return null;
  }
  const kept = (Array.isArray(calls) ? calls : []).filter(isCall).slice(0, MAX_RECENT_CALLS);
  return kept.length > 0 ? JSON.stringify(kept) : null;
}

/** `[timestamp, execution_time_ms, success]` */
function isCall(call: unknown): boolean {
  if (!Array.isArray(call) || call.length !== 3) return false;
  const [timestamp, ms, success] = call;
  return Number.isSafeInteger(timestamp) && Number.isFinite(ms) && (success === 0 || success === 1);
}

function sameSet(one: readonly string[], other: readonly string[]): boolean {
  const [a, b] = [new Set(one), new Set(other)];
  return a.size === b.size && [...a].every((each) => b.has(each));
}
