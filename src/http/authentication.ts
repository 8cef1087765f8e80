import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Authenticator } from '../auth/authenticator.ts';
import { type Action, authorize, type Principal } from '../auth/authorize.ts';
import { createBearer, isBearer } from '../auth/bearer.ts';
import { followUsers } from '../auth/follow-users.ts';
import type { OpenId } from '../auth/openid.ts';
import { AppError } from '../errors.ts';
import type { SeenStore, Store } from '../store/store.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the route needs: `open`, or an action. A route without it is closed. */
    access?: 'open' | Action;
    /** Asked every few seconds: logged only when debugging. */
    isProbe?: true;
    /** The dialect of its errors; the envelope unless said otherwise. */
    errorShape?: 'opensearch' | 'json-rpc';
    /** Foreign origins whose pages may ask here. */
    origins?: readonly string[];
  }
  interface FastifyRequest {
    principal: Principal | undefined;
  }
}

/** Every request is authenticated and authorized here by what its route declares. */
export function addAuthentication(
  app: FastifyInstance,
  {
    store,
    authenticator,
    openId,
  }: { store: Store; authenticator: Authenticator; openId: OpenId | undefined },
): void {
  app.decorateRequest('principal', undefined);
  const forgetChangedUsers = followUsers(store, authenticator);
  const bearer = createBearer(store, { openId });
  app.addHook('preClose', () => bearer.flush());

  /** At once for whoever was verified a moment ago, which is nearly every request. */
  function callerOfRequest({ headers, ip }: FastifyRequest): Principal | Promise<Principal> {
    const { authorization } = headers;
    if (isBearer(authorization)) return bearer.authenticate(authorization);
    const forgotten = forgetChangedUsers();
    if (forgotten !== undefined) {
      return forgotten.then(() => authenticator.authenticate(authorization, ip));
    }
    return authenticator.recall(authorization, ip) ?? authenticator.authenticate(authorization, ip);
  }

  // With a callback, since this runs for every request.
  app.addHook('onRequest', (request, _reply, done) => {
    const { access } = request.routeOptions.config;
    if (access === 'open') return done();
    const caller = callerOfRequest(request);
    if (caller instanceof Promise) {
      caller.then((known) => admit(request, known, access)).then(() => done(), done);
    } else {
      admit(request, caller, access);
      done();
    }
  });
}

/** @throws AppError AuthorizationError when the route is not for this caller. */
function admit(request: FastifyRequest, caller: Principal, access: Action | undefined): void {
  request.principal = caller;
  if (access === undefined) {
    if (request.is404) return;
    throw new AppError('AuthorizationError', 'This route is closed');
  }
  authorize(caller, access);
}

/** How a route gets the store: as the caller of its request sees it. */
export interface SeenStores {
  storeFor: (request: FastifyRequest) => SeenStore;
}

/** The caller of a route that is not open. */
export function callerOf(request: FastifyRequest): Principal {
  if (request.principal === undefined) throw new Error('an open route asked for its caller');
  return request.principal;
}
