import type { Static, TSchema } from '@sinclair/typebox';
import { NAMED_SCHEMAS } from '../schemas/named.ts';
import { createValidatorCompiler } from './validation.ts';

const compile = createValidatorCompiler(NAMED_SCHEMAS);

/** What was given when it keeps to the schema; that throws an AppError ValidationError otherwise. */
export function checkedBy<Schema extends TSchema>(
  schema: Schema,
): (given: unknown) => Static<Schema> {
  const check = compile({ schema, httpPart: 'arguments' });
  return (given) => {
    const { error } = check(given);
    if (error !== undefined) throw error;
    return given as Static<Schema>;
  };
}
