import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyServerOptions,
  LogController,
} from 'fastify';
import type { Authenticator } from './auth/authenticator.ts';
import { createOpenId } from './auth/openid.ts';
import { storeSeenBy } from './auth/seen-store.ts';
import { maskTokens } from './auth/token-text.ts';
import { AGENT_BASE, BASE } from './base.ts';
import type { Config } from './config.ts';
import type { Embedder } from './embeddings/embedder.ts';
import { AppError } from './errors.ts';
import { addAuthentication, callerOf, type SeenStores } from './http/authentication.ts';
import { addCors } from './http/cors.ts';
import { sendError } from './http/errors.ts';
import { guardRequest } from './http/guards.ts';
import { addJsonBody } from './http/json-body.ts';
import { addMethodNotAllowed } from './http/methods.ts';
import { addOpenApi } from './http/openapi.ts';
import { answerParserError } from './http/parser-errors.ts';
import { addPretty } from './http/pretty.ts';
import { parseQueryText } from './http/query-text.ts';
import { addQuickClose } from './http/quick-close.ts';
import { addRequestMetrics } from './http/request-metrics.ts';
import { createValidatorCompiler } from './http/validation.ts';
import type { BuiltInTool } from './mcp/built-in.ts';
import { mcpRoutes } from './mcp/routes.ts';
import { createMetrics } from './metrics/metrics.ts';
import { auditRoutes } from './routes/audit.ts';
import { callHistoryRoutes } from './routes/call-history.ts';
import { callRoutes } from './routes/calls.ts';
import { healthRoutes } from './routes/health.ts';
import { memoryRoutes } from './routes/memories.ts';
import { memoryLineRoutes } from './routes/memory-lines.ts';
import { memorySearchRoutes } from './routes/memory-search.ts';
import { metricsRoutes } from './routes/metrics.ts';
import { mlCommonsRoutes } from './routes/ml-commons.ts';
import { spaceRoutes } from './routes/spaces.ts';
import { tokenRoutes } from './routes/tokens.ts';
import { toolRoutes } from './routes/tools.ts';
import { usageRoutes } from './routes/usage.ts';
import { userRoutes } from './routes/users.ts';
import { NAMED_SCHEMAS } from './schemas/named.ts';
import { NoQuery } from './schemas/operation.ts';
import type { Store } from './store/store.ts';

const MAX_BODY_BYTES = 4 * 1024 * 1024;
const MAX_PATH_PARAMETER = 512;

export interface AppDependencies {
  config: Config;
  store: Store;
  authenticator: Authenticator;
  logger: FastifyBaseLogger;
  /** Meaning for ranked search. */
  embedder?: Embedder | undefined;
  /** MCP tools beside the product's own. */
  moreTools?: readonly BuiltInTool[] | undefined;
}

/**
 * The whole HTTP application, with every option of the server; tests use it unchanged.
 * @throws Error in plain words when a setting needs a package that is not installed.
 */
export async function buildApp(dependencies: AppDependencies): Promise<FastifyInstance> {
  const { config, store, logger, embedder } = dependencies;
  const app = Fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestId,
    // The absolute form of a target (RFC 9112, 3.2.2) may carry credentials: only the path goes on.
    rewriteUrl: ({ url = '/' }) => url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '') || '/',
    bodyLimit: MAX_BODY_BYTES,
    trustProxy: config.trustedProxies.length > 0 ? [...config.trustedProxies] : false,
    // A body must arrive in 30 s and a header in 10; without these Fastify waits for ever.
    requestTimeout: 30_000,
    // A missing Host is refused by our guard, since Node's own answer has no body.
    http: { headersTimeout: 10_000, connectionsCheckingInterval: 1_000, requireHostHeader: false },
    // Longer than the 60 to 75 s after which common gateways drop an idle connection.
    keepAliveTimeout: 90_000,
    // While it closes, requests on open connections are answered, with `Connection: close`.
    return503OnClosing: false,
    routerOptions: {
      ignoreTrailingSlash: true,
      maxParamLength: MAX_PATH_PARAMETER,
      querystringParser: (text) => parseQueryText(text) as unknown as Record<string, unknown>,
    },
    schemaController: { compilersFactory: COMPILERS },
    frameworkErrors: (error, request, reply) => sendError(error, request, reply),
    clientErrorHandler: answerParserError,
  }).withTypeProvider<TypeBoxTypeProvider>();

  app.setErrorHandler((error, request, reply) => sendError(error, request, reply));
  app.setNotFoundHandler((request) => {
    const path = request.url.split('?')[0];
    throw new AppError('NotFoundError', `No such path: ${path}; see /docs or /openapi.json`, {
      path,
    });
  });
  for (const schema of NAMED_SCHEMAS) app.addSchema(schema);
  addJsonBody(app);
  addRequestLog(app);
  const metrics = createMetrics(store);
  addRequestMetrics(app, metrics);
  app.addHook('onRequest', (request, reply, done) => {
    guardRequest(request, reply);
    done();
  });
  addCors(app);
  addAuthentication(app, { ...dependencies, openId: await createOpenId(config) });
  addPretty(app);
  addQuickClose(app);
  const closeOtherMethods = addMethodNotAllowed(app);

  await addOpenApi(app, config);
  // Not above: the files of the document's reader take any query.
  app.addHook('onRoute', (route) => {
    route.schema = { querystring: NoQuery, ...route.schema };
  });
  await app.register(healthRoutes, { store });
  await app.register(metricsRoutes, { config, metrics });
  // What is about tools gets no other store than this.
  const seen: SeenStores = { storeFor: (request) => storeSeenBy(store, callerOf(request)) };
  for (const prefix of [BASE, AGENT_BASE]) {
    await app.register(
      async (api) => {
        if (prefix === AGENT_BASE) hideFromDocument(api);
        await api.register(toolRoutes, { ...seen, embedder, metrics });
        await api.register(mlCommonsRoutes, seen);
        await api.register(callRoutes, { ...seen, metrics });
        await api.register(callHistoryRoutes, seen);
        await api.register(usageRoutes, seen);
        await api.register(memoryRoutes, dependencies);
        await api.register(memorySearchRoutes, dependencies);
        await api.register(memoryLineRoutes, dependencies);
        await api.register(spaceRoutes, dependencies);
        await api.register(userRoutes, dependencies);
        await api.register(tokenRoutes, dependencies);
        await api.register(auditRoutes, dependencies);
      },
      { prefix },
    );
  }
  await app.register(mcpRoutes, dependencies);
  closeOtherMethods();
  return app;
}

type CompilersFactory = NonNullable<
  NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']
>;

const compileValidator = createValidatorCompiler(NAMED_SCHEMAS);

/** Ours alone: Fastify loads its own compilers, some megabytes of them, only when none are given. */
const COMPILERS: CompilersFactory = {
  buildValidator: () =>
    compileValidator as ReturnType<Required<CompilersFactory>['buildValidator']>,
  buildSerializer: () => () => (data) => JSON.stringify(data),
};

function hideFromDocument(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    route.schema = { ...route.schema, hide: true };
  });
}

const PROCESS = Math.random().toString(36).slice(2, 8);
let requests = 0;

/** The gateway's id of the request when it gave one, else one of ours. */
function requestId({ headers }: { headers: NodeJS.Dict<string | string[]> }): string {
  const given = headers['x-request-id'];
  if (typeof given === 'string' && /^[\w.-]{1,64}$/.test(given)) return given;
  requests += 1;
  return `${PROCESS}-${requests.toString(36)}`;
}

/** One line a request; never headers, bodies or query strings, which may carry secrets. */
function addRequestLog(app: FastifyInstance): void {
  app.addHook('onResponse', (request, reply, done) => {
    const level = request.routeOptions.config.isProbe ? 'debug' : 'info';
    request.log[level]({
      method: request.method,
      path: maskTokens(request.url.split('?', 1)[0] ?? ''),
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 100) / 100,
      address: request.ip,
      user: request.principal?.name,
      token: request.principal?.token?.id,
    });
    done();
  });
}
