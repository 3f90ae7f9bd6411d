import { METHODS } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { MethodNotAllowedError } from './api.errors.js';

/**
 * Watches the routes that are registered from now on; the function it returns then gives every known path a 405 with
 * Allow for the methods it does not have. Call it when all routes stand, before the instance is ready.
 */
export function methodsByPath(instance: FastifyInstance): () => void {
  for (const method of METHODS) {
    if (method !== 'CONNECT' && !instance.supportedMethods.includes(method)) {
      instance.addHttpMethod(method, { hasBody: true });
    }
  }
  const allowedByPath = new Map<string, Set<string>>();
  instance.addHook('onRoute', ({ url, method }) => {
    const allowed = allowedByPath.get(url) ?? new Set();
    allowedByPath.set(url, allowed);
    for (const one of [method].flat()) allowed.add(one);
  });
  return () => {
    for (const [url, allowed] of [...allowedByPath]) refuseOtherMethods(instance, url, [...allowed].sort());
  };
}

function refuseOtherMethods(instance: FastifyInstance, url: string, allowed: readonly string[]): void {
  const method = instance.supportedMethods.filter((one) => !allowed.includes(one));
  if (method.length === 0) return;
  instance.route({
    method,
    url,
    // In onRequest, so that the body is not looked at: the method is wrong whatever it holds.
    onRequest: (request, _reply, done) => {
      done(new MethodNotAllowedError(request.method, allowed));
    },
    handler: () => undefined,
  });
}
