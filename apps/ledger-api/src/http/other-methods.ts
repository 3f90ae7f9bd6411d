import type { FastifyInstance, FastifyRequest } from 'fastify';
import createRouter, { type HTTPVersion, type Instance } from 'find-my-way';
import { ApiError } from './errors.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The route of a request whose path exists with other methods only. */
    readonly otherRoute: OtherRoute | undefined;
  }
}

/** A route that does not support the method of a request. */
export interface OtherRoute {
  /** The path of the route; undefined for a malformed URL. */
  readonly url: string | undefined;
  readonly params: Readonly<Record<string, string | undefined>>;
  /** The methods that the path supports. */
  readonly allowed: ReadonlySet<string>;
}

type PathRouter = Instance<HTTPVersion.V1>;

/**
 * Finds the routes of requests with a method that their path does not support, among the routes that are registered from now
 * on until the returned function is called. To register all other methods of each path instead would cost 12 % of a start.
 * The router is that of Fastify, so that it decodes and compares paths in the same way.
 */
export function useOtherMethods(instance: FastifyInstance, maxParamLength: number): () => void {
  const allowedByPath = new Map<string, Set<string>>();
  let isComplete = false;
  instance.addHook('onRoute', ({ url, method }) => {
    if (!isComplete) allowedByPath.set(url, new Set([...(allowedByPath.get(url) ?? []), ...[method].flat()]));
  });
  let router: PathRouter | undefined;
  instance.decorateRequest('otherRoute', {
    getter(this: FastifyRequest) {
      if (!this.is404) return undefined;
      router ??= routerOf(allowedByPath.keys(), maxParamLength);
      return otherRouteOf(this, router, allowedByPath);
    },
  });
  return () => {
    isComplete = true;
  };
}

/** Returns a router that finds each path by the method GET, whatever its methods are. */
function routerOf(paths: Iterable<string>, maxParamLength: number): PathRouter {
  const router = createRouter({ maxParamLength, onBadUrl: () => undefined });
  for (const path of paths) router.on('GET', path, () => undefined, path);
  return router;
}

function otherRouteOf(
  { method, raw: { url = '' } }: FastifyRequest,
  router: PathRouter,
  allowedByPath: ReadonlyMap<string, ReadonlySet<string>>,
): OtherRoute | undefined {
  // An asterisk means the server, and has no path (RFC 9110, section 7.1); the router would find the root.
  const found = url === '*' ? null : router.find('GET', url);
  if (found === null) return undefined;
  // A malformed URL has no path. Fastify's router refuses it only for methods that it knows.
  const path = found.store as string | null;
  const allowed = allowedByPath.get(path ?? '') ?? new Set<string>();
  return allowed.has(method) ? undefined : { url: path ?? undefined, params: found.params, allowed };
}

/** Creates the error for a method that a path does not support. Which methods it has is no secret, and needs no login. */
export function methodNotAllowed(method: string, { allowed }: OtherRoute): ApiError {
  const allow = [...allowed].sort().join(', ');
  const message = `${method} is not supported here. Use ${allow}.`;
  return new ApiError('API.METHOD_NOT_ALLOWED', message, { headers: { allow } });
}
