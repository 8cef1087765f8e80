import { validationError } from '../errors.ts';

/** What a cursor of MCP goes on behind: a name, or a place in a ranking. */
export type CursorKind = 'name' | 'rank';

/** An opaque cursor. */
export function encodeCursor(kind: CursorKind, behind: string): string {
  return Buffer.from(`${kind}:${behind}`).toString('base64url');
}

/** @throws AppError ValidationError for what `encodeCursor` did not give for this kind. */
export function decodeCursor(kind: CursorKind, cursor: string): string {
  const text = Buffer.from(cursor, 'base64url').toString();
  const behind = text.slice(kind.length + 1);
  // Decoding alone passes over anything.
  if (text.startsWith(`${kind}:`) && encodeCursor(kind, behind) === cursor) return behind;
  const reason = 'Cursor must be the nextCursor of an earlier page of the same search';
  throw validationError('Invalid params', [{ field: 'cursor', reason }]);
}
