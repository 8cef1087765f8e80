import type { Actor } from '../store/audit-log.ts';
import type { Principal } from './authorize.ts';

/** Who may open the file acts as nobody in particular. */
export const COMMAND_LINE: Actor = { principal: '', token: '' };

/** A caller as the audit log notes it. */
export function actorOf({ id, token }: Principal): Actor {
  return { principal: id, token: token?.id ?? '' };
}
