import type { TSchema } from '@sinclair/typebox';
import * as audit from './audit.ts';
import * as call from './call.ts';
import * as common from './common.ts';
import { ERROR_ANSWERS } from './error-answers.ts';
import * as memory from './memory.ts';
import * as mlCommons from './ml-commons.ts';
import * as space from './space.ts';
import * as token from './token.ts';
import * as tool from './tool.ts';
import * as toolList from './tool-list.ts';
import * as usage from './usage.ts';
import * as user from './user.ts';

/** Every schema with a name of its own: what references find, and the document's components. */
export const NAMED_SCHEMAS: TSchema[] = [
  common,
  ERROR_ANSWERS,
  tool,
  toolList,
  call,
  usage,
  user,
  token,
  audit,
  memory,
  space,
  mlCommons,
]
  .flatMap((module): unknown[] => Object.values(module))
  .filter(
    (value): value is TSchema => typeof value === 'object' && value !== null && '$id' in value,
  );
