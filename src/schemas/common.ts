import { type Static, type TSchema, Type } from '@sinclair/typebox';

/** A string of a fixed set: one `enum` in validation, types and document, not an anyOf of constants. */
export function StringEnum<const Values extends readonly string[]>(
  values: Values,
  options: { description?: string; default?: Values[number] } = {},
) {
  return Type.Unsafe<Values[number]>({ type: 'string', enum: values, ...options });
}

/** An object with any keys whose values follow one schema. */
export function MapOf<Schema extends TSchema>(schema: Schema, options: object = {}) {
  return Type.Unsafe<Record<string, Static<Schema>>>({
    type: 'object',
    additionalProperties: schema,
    ...options,
  });
}

/** A reference to a named component that keeps its static type. */
export function ref<Schema extends TSchema>(schema: Schema & { $id?: string }) {
  return Type.Unsafe<Static<Schema>>(Type.Ref(schema.$id ?? ''));
}

export const Timestamp = Type.String({
  format: 'date-time',
  description: 'UTC, YYYY-MM-DDTHH:MM:SSZ',
  examples: ['2024-01-01T12:00:00Z'],
});

/** The success envelope around `data`. */
export function Success<Data extends TSchema>(id: string, data: Data, message: string) {
  return Type.Object(
    {
      success: Type.Literal(true),
      message: Type.String({ examples: [message] }),
      data,
      timestamp: Timestamp,
    },
    { $id: id },
  );
}

export const Pagination = Type.Object(
  {
    total: Type.Integer({ description: 'Number of items that match, on all pages' }),
    size: Type.Integer({ description: 'The requested page size' }),
    from: Type.Integer({ description: 'The requested offset' }),
    has_more: Type.Boolean({ description: 'Whether a further page has items' }),
  },
  { $id: 'Pagination' },
);
export type Pagination = Static<typeof Pagination>;

export const Fault = Type.Object(
  {
    field: Type.String({ description: 'Dotted path of the value', examples: ['tools[3].name'] }),
    reason: Type.String({ description: 'Why it was refused and what is allowed' }),
  },
  { $id: 'Fault' },
);

export const HealthAnswer = Success(
  'HealthAnswer',
  Type.Object({ status: StringEnum(['alive', 'ready']) }),
  'Alive',
);

export const PAGE_SIZE = Type.Integer({
  minimum: 1,
  maximum: 100,
  default: 10,
  description: 'Number of items to return',
});
export const PAGE_FROM = Type.Integer({
  minimum: 0,
  maximum: 2 ** 31 - 1,
  default: 0,
  description: 'Offset of the first item',
});
