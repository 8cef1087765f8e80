import { hash } from 'node:crypto';
import { AppError } from '../errors.ts';
import type { StoredTool } from '../store/tools.ts';

/** What an entity tag of a tool is made of. */
type Tagged = Pick<StoredTool, 'tool_id' | 'revision' | 'updated_at'>;

/**
 * A strong ETag of one tool: its definition before the dash, its usage numbers behind it.
 * The definition's part alone guards updates, so that recorded calls never fail an `If-Match`.
 */
export function toolETag(tool: Tagged, usage = ''): string {
  return `"${definitionTag(tool)}-${hash('sha1', usage, 'hex').slice(0, 12)}"`;
}

function definitionTag(tool: Tagged): string {
  return `${tool.revision}.${tool.updated_at.toString(36)}`;
}

/**
 * RFC 9110, 13.1.1: a list of entity tags or `*`; weak ones never match.
 * @throws AppError PreconditionFailedError when none matches.
 */
export function assertIfMatch(tool: Tagged, ifMatch: string | undefined): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  const wanted = ifMatch.split(',').map((tag) => /^"([^"]*)-[^"-]*"$/.exec(tag.trim())?.[1]);
  if (wanted.includes(definitionTag(tool))) return;
  throw new AppError('PreconditionFailedError', 'The tool was changed since it was read', {
    tool_id: tool.tool_id,
    field: 'If-Match',
    reason: 'No entity tag of If-Match names the current definition; get the tool again',
  });
}

/** RFC 9110, 13.1.2: whether one of the tags, compared weakly, is `etag`. */
export function matchesIfNoneMatch(etag: string, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '');
  return ifNoneMatch.split(',').some((tag) => opaque(tag) === opaque(etag));
}
