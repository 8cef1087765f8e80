import { type Static, Type } from '@sinclair/typebox';
import { SCOPE_NAMES } from '../auth/authorize.ts';
import { PATH_PREFIX } from '../auth/token-limits.ts';
import { TOKEN_ID } from '../auth/token-text.ts';
import { TOOL_PATTERN } from '../store/tool-patterns.ts';
import { GivenTime } from './call.ts';
import { Pagination, ref, StringEnum, Success, Timestamp } from './common.ts';
import * as examples from './examples-access.ts';

const MAX_LIMITS = 64;

export const TokenId = Type.String({
  pattern: TOKEN_ID,
  description: 'How the token begins: `tcb_` and 12 letters or digits',
  examples: [examples.tokenId],
});

export const TokenName = Type.String({
  pattern: '^[^\\p{C}]{1,64}$',
  description: 'What it is for: 1 to 64 characters that can be seen',
  examples: ['deploy agent'],
});

const PathPrefix = Type.String({
  pattern: PATH_PREFIX,
  maxLength: 512,
  description: '`projects/x` or `projects/x/%` with all below; `%` is everything',
});
const ToolPattern = Type.String({
  pattern: TOOL_PATTERN,
  description: 'Which tools: a glob of names such as `github__*`; `!*__delete_*` takes away',
});

const limits = {
  read_paths: Type.Optional(
    Type.Array(PathPrefix, {
      minItems: 1,
      maxItems: MAX_LIMITS,
      description: 'Memories are read below these paths only; all, when left out',
    }),
  ),
  write_paths: Type.Optional(
    Type.Array(PathPrefix, {
      minItems: 1,
      maxItems: MAX_LIMITS,
      description: 'Memories are written below these paths only; all, when left out',
    }),
  ),
  tool_patterns: Type.Optional(
    Type.Array(ToolPattern, {
      minItems: 1,
      maxItems: MAX_LIMITS,
      description:
        'Only tools whose name one of these matches, and none with `!`; all, when left out',
    }),
  ),
};

const Scopes = Type.Array(StringEnum(SCOPE_NAMES), {
  uniqueItems: true,
  description: "At most one's own; those in force are the ones that the owner still has",
});

const fields = { name: TokenName, scopes: Scopes, ...limits };

export const NewToken = Type.Object(
  {
    ...fields,
    expires_at: Type.Optional(
      GivenTime('When it ends; never, when left out', examples.newToken.expires_at),
    ),
  },
  { $id: 'NewToken', additionalProperties: false, examples: [examples.newToken] },
);
export type NewToken = Static<typeof NewToken>;

const shown = {
  token_id: TokenId,
  ...fields,
  user_id: Type.String({ description: 'Its owner' }),
  user: Type.String({ description: "Its owner's name" }),
  created_by: Type.Optional(
    Type.String({ description: 'The token that made it, which it ends with' }),
  ),
  created_at: Timestamp,
  expires_at: Type.Optional(Timestamp),
  last_used_at: Type.Optional(Timestamp),
};

export const Token = Type.Object(shown, { $id: 'Token' });

export const CreatedToken = Type.Object(
  { ...shown, token: Type.String({ description: 'The token itself, shown only now' }) },
  { $id: 'CreatedToken' },
);

/** The token that a caller came with, as far as it is narrowed. */
export const CallerToken = Type.Object({ token_id: TokenId, ...limits }, { $id: 'CallerToken' });

export const TokenAnswer = Success('TokenAnswer', ref(Token), 'Token revoked successfully');
export const CreatedTokenAnswer = Success(
  'CreatedTokenAnswer',
  ref(CreatedToken),
  'Token created successfully',
);
export const TokensAnswer = Success(
  'TokensAnswer',
  Type.Object({ tokens: Type.Array(ref(Token)), pagination: ref(Pagination) }),
  'Tokens retrieved successfully',
);
