import fc from 'fast-check';
import type { InjectOptions } from 'fastify';
import type { DeclaredRoute } from './declared-routes.ts';

const ODD_TEXTS = [
  ...[
    '',
    ' ',
    '0',
    '-1',
    '1e400',
    'null',
    'true',
    '[]',
    '{}',
    '*',
    '%',
    '_',
    "'",
    '"',
    '\\',
    ';--',
    '\n',
  ],
  ...[
    "' or 1=1 --",
    '#{7*7}',
    '../../etc/passwd',
    '<script>',
    '\u0000',
    '\ud800',
    '\ufeff',
    '😀',
    'が',
  ],
  ...['__proto__', 'constructor', 'toString', 'a'.repeat(5000), '('.repeat(2000), '"'.repeat(99)],
];
const oddText = fc.oneof(
  fc.constantFrom(...ODD_TEXTS),
  fc.string({ unit: 'binary', maxLength: 40 }),
);

const KEYS = [
  ...[
    'tools',
    'name',
    'description',
    'parameters',
    'metadata',
    'category',
    'tags',
    'annotations',
    'title',
  ],
  ...[
    'input_schema',
    'output_schema',
    'server',
    'status',
    'type',
    'attributes',
    'required',
    'enum',
    'default',
  ],
  ...['properties', '$ref', 'scopes', 'password', 'current_password', 'readOnlyHint', 'x'],
];
const PARAMETERS = [
  ...[
    'size',
    'from',
    'sort',
    'order',
    'category',
    'status',
    'search',
    'min_success_rate',
    'tags',
    'read_only',
  ],
  ...['author', 'server', 'force', 'cleanup_dependencies', 'on_conflict', 'pretty', 'human', 'x'],
];
const VALUES = [
  '1',
  '7',
  '100',
  'name',
  'created_at',
  'category',
  'asc',
  'desc',
  'active',
  'true',
  '0.5',
  'a OR b',
  '"a b"',
  '-a',
  'skip',
  'update',
];

const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    oddText,
    fc.constantFrom(null, true, 0, -1, 1e308, 'object', 'string', 'known', { type: 'object' }),
    fc.double(),
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(
      fc.oneof(
        { weight: 5, arbitrary: fc.constantFrom(...KEYS) },
        { weight: 1, arbitrary: oddText },
      ),
      tie('json'),
      { maxKeys: 5 },
    ),
  ),
}));

const parameter = { type: 'string', description: '' };
const PARTS = {
  parameters: { q: parameter },
  metadata: { category: 'c' },
  title: 't',
  tags: ['a'],
  annotations: { readOnlyHint: true },
  input_schema: { type: 'object' },
  server: 's',
};

/** A value that could be meant, or sometimes any other. */
const orAny = (arbitrary: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 12, arbitrary }, { weight: 1, arbitrary: json });

const someParts = fc.record(
  Object.fromEntries(Object.entries(PARTS).map(([key, value]) => [key, orAny(fc.constant(value))])),
  { requiredKeys: [] },
);
const name = orAny(
  fc.oneof(
    fc.constantFrom('known', 'fresh'),
    fc.nat().map((at) => `n${at}`),
  ),
);
const extra = fc.oneof(
  { weight: 8, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: fc.dictionary(fc.constantFrom(...KEYS), json, { maxKeys: 1 }) },
);

/** A body in the shape that the route asks for, whole or with odd parts. */
function shaped(url: string): fc.Arbitrary<unknown> {
  if (url.endsWith('_remove')) return fc.array(name, { maxLength: 2 });
  const ml = /_(register|update)$/.test(url);
  const base = fc.record({ name, description: orAny(fc.constant('d')), ...(ml && { type: name }) });
  const tool = fc
    .tuple(base, ml ? fc.constant({}) : someParts, extra)
    .map((parts) => Object.assign({}, ...parts));
  if (url.endsWith(':tool_id')) return tool;
  return fc.record({ tools: orAny(fc.array(orAny(tool), { minLength: 1, maxLength: 2 })) });
}

const bodyFor = (url: string) =>
  fc.oneof(
    { weight: 9, arbitrary: shaped(url).map((value) => JSON.stringify(value)) },
    { weight: 2, arbitrary: json.map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: oddText },
    { weight: 1, arbitrary: fc.constantFrom('{"a":1e400}', '['.repeat(500), '{"__proto__":1}') },
  );

const someQuery = fc
  .array(
    fc.tuple(
      fc.oneof(
        { weight: 6, arbitrary: fc.constantFrom(...PARAMETERS) },
        { weight: 1, arbitrary: oddText },
      ),
      fc.oneof(
        { weight: 3, arbitrary: fc.constantFrom(...VALUES) },
        { weight: 2, arbitrary: oddText },
      ),
    ),
    { maxLength: 2 },
  )
  .map((pairs) =>
    pairs
      .map((pair) => pair.map((text) => encodeURIComponent(text.toWellFormed())).join('='))
      .join('&'),
  );

const query = fc.oneof(fc.constant(''), someQuery);

const oddHeaders = fc.record(
  {
    'content-type': fc.oneof(
      { weight: 8, arbitrary: fc.constant('application/json') },
      {
        weight: 2,
        arbitrary: fc.constantFrom(
          'application/x-ndjson',
          'text/plain',
          'application/json; charset=x',
          'a',
          '',
        ),
      },
    ),
    'if-match': fc.constantFrom('*', '"1-x"', 'W/"1"', '"', ''),
    'if-none-match': fc.constantFrom('*', '"1-x"', ',', '"'),
    accept: fc.constantFrom('text/html', '*/*', 'application/json'),
    origin: fc.constantFrom('http://localhost:80', 'null'),
    'x-forwarded-for': fc.constantFrom('1.2.3.4', 'x', ''),
    'content-encoding': fc.constantFrom('identity', 'gzip'),
  },
  { requiredKeys: ['content-type'] },
);

const headers = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ 'content-type': 'application/json' }) },
  { weight: 1, arbitrary: oddHeaders },
);

/** Requests of these routes, from nearly right ones to nonsense. */
export function oddRequests(routes: readonly DeclaredRoute[]): fc.Arbitrary<InjectOptions> {
  const those = (holds: (route: DeclaredRoute) => boolean) =>
    fc.constantFrom(...routes.filter(holds));
  const route = fc.oneof(
    { weight: 20, arbitrary: those(({ method }) => method.startsWith('P')) },
    { weight: 20, arbitrary: those(({ url }) => url.startsWith('/_plugins')) },
    // What serves the document is hardly ours.
    { weight: 1, arbitrary: those(({ url }) => !url.startsWith('/_plugins')) },
  );
  const id = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom('tool-known', 'tool-none', 'known', 'nobody') },
    {
      weight: 1,
      arbitrary: oddText.map((text) => encodeURIComponent(text.toWellFormed()).slice(0, 700)),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom('%', '%zz', '%00', '%FF', '..', '.', '//', '_list', '_remove'),
    },
  );
  const method = fc.oneof(
    { weight: 9, arbitrary: fc.constant('') },
    {
      weight: 1,
      arbitrary: fc.constantFrom('PATCH', 'OPTIONS', 'TRACE', 'PUT', 'DELETE', 'QUERY'),
    },
  );
  return route
    .chain(({ url, method: own }) =>
      fc.tuple(
        fc.constant({ url, own }),
        method,
        id,
        query,
        headers,
        fc.option(bodyFor(url), { freq: 9 }),
      ),
    )
    .map(([route, other, value, text, given, payload]) => {
      const path = route.url.replace(/:\w+|\*/g, value);
      const chosen = other === '' ? route.own : other;
      const request = {
        method: chosen as 'GET',
        url: text === '' ? path : `${path}?${text}`,
        headers: given,
      };
      const bodiless = payload === null || ['GET', 'HEAD', 'TRACE'].includes(chosen);
      return bodiless ? request : { ...request, payload };
    });
}
