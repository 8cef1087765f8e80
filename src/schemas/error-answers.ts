import { type TSchema, Type } from '@sinclair/typebox';
import { ERRORS, type ErrorType } from '../errors.ts';
import { Fault, ref, Timestamp } from './common.ts';

const Field = Type.String({ description: 'Dotted path of the value', examples: ['tools[3].name'] });
const Reason = Type.String({ description: 'Why it was refused and what is allowed' });
const Names = Type.Array(Type.String(), { description: 'The names it is about' });

const fault = { field: Type.Optional(Field), reason: Type.Optional(Reason) };

/** What `details` may say beside `field` and `reason`. Further keys may come at any time. */
const DETAILS: Partial<Record<ErrorType, Record<string, TSchema>>> = {
  ValidationError: {
    field: Field,
    reason: Reason,
    errors: Type.Optional(
      Type.Array(ref(Fault), { description: 'All faults, when there are several' }),
    ),
  },
  FilterError: { field: Field, reason: Reason },
  AuthorizationError: {
    scope: Type.Optional(Type.String({ description: 'The scope that is missing' })),
  },
  NotFoundError: {
    tool_id: Type.Optional(Type.String()),
    token_id: Type.Optional(Type.String()),
    reference: Type.Optional(Type.String()),
    name: Type.Optional(Type.String()),
    names: Type.Optional(Names),
    path: Type.Optional(Type.String()),
  },
  MethodNotAllowedError: { method: Type.String(), allowed: Type.Array(Type.String()) },
  ConflictError: { names: Type.Optional(Names) },
  PreconditionFailedError: { tool_id: Type.Optional(Type.String()) },
  RateLimitError: { retry_after_seconds: Type.Integer() },
};

/** The error envelope of every type, as a component of its own, so that clients can tell them apart. */
export const ERROR_ANSWERS = Object.fromEntries(
  Object.keys(ERRORS).map((type) => [type, errorAnswer(type as ErrorType)]),
) as Record<ErrorType, TSchema>;

function errorAnswer(type: ErrorType): TSchema {
  return Type.Object(
    {
      success: Type.Literal(false),
      error: Type.Object({
        type: Type.Literal(type),
        message: Type.String({ description: 'For people; may change' }),
        details: Type.Object(
          { ...fault, ...DETAILS[type] },
          { additionalProperties: true, description: 'What the error is about' },
        ),
      }),
      timestamp: Timestamp,
    },
    { $id: `${type}Answer`, description: ERRORS[type].means },
  );
}
