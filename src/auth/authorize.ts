import { AppError } from '../errors.ts';

/** Every scope and what it allows. `admin` manages; it implies no other scope. */
export const SCOPES = {
  'tools:read': 'List, get and search tools and their former definitions.',
  'tools:write': 'Register, update and remove tools.',
  'usage:read': 'Read and export the history of calls.',
  'usage:write': 'Record calls.',
  'memory:read': 'Search and read memories: own ones and those of own spaces.',
  'memory:write': 'Remember, change, forget and restore memories.',
  'memory:admin': "Read and manage other people's memories; each act is audited.",
  admin: 'Manage users, tokens and the audit log, void calls, and read metrics.',
} as const satisfies Record<string, string>;

export type Scope = keyof typeof SCOPES;

export const SCOPE_NAMES = Object.keys(SCOPES) as Scope[];

/** What the first admin gets: all but the reading of other people's memories. */
export const ADMIN_SCOPES = SCOPE_NAMES.filter((scope) => scope !== 'memory:admin');

/** Who is asking. The id is opaque and never used again for someone else. */
export interface Principal {
  id: string;
  name: string;
  scopes: readonly Scope[];
  /** How a token narrows what its owner may do; absent with a password. */
  token?: TokenLimits;
}

/** Where a token may act; an absent list does not narrow. Paths are `%`, `projects/x` or `projects/x/%`. */
export interface TokenLimits {
  id: string;
  readPaths?: readonly string[];
  writePaths?: readonly string[];
  /** Globs of tool names such as `github__*`; one that begins with `!` takes away. */
  toolPatterns?: readonly string[];
}

/** What an operation needs: a scope, or only valid credentials. */
export type Action = Scope | 'authenticated';

/** What the operation works on; its owner may act without the scope. */
export interface Resource {
  owner?: string | undefined;
}

/**
 * The one rule of who may do what, for every door.
 * @throws AppError AuthorizationError naming the missing scope.
 */
export function authorize(principal: Principal, action: Action, resource: Resource = {}): void {
  if (action === 'authenticated') return;
  if (resource.owner !== undefined && resource.owner === principal.id) return;
  if (principal.scopes.includes(action)) return;
  throw new AppError('AuthorizationError', `This needs the scope '${action}'`, { scope: action });
}
