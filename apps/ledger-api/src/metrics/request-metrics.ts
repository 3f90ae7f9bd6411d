import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Histogram, Registry } from 'prom-client';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The answer lasts until the client closes it, so its time is not a request's duration. */
    isStream?: boolean;
  }
}

/**
 * Request durations by method, route and status. Each route gets its own hook when it is registered: an interceptor would
 * see only handlers, neither refusals nor unknown paths. Unknown paths share one label, so that clients cannot create time
 * series.
 */
@Injectable()
export class RequestMetrics {
  readonly #durations: Histogram<'method' | 'route' | 'status'>;

  constructor(registry: Registry) {
    this.#durations = new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Time from the request head to the end of the answer.',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
      registers: [registry],
    });
  }

  /** Measures every route that is registered later, and requests that match none. */
  watch(instance: FastifyInstance): void {
    const unknown = this.#observer('any', 'unknown');
    instance.addHook('onResponse', (request, reply, done) => {
      if (request.is404) unknown(request, reply, done);
      else done();
    });
    instance.addHook('onRoute', (route) => {
      const method = Array.isArray(route.method) ? 'other' : route.method;
      route.onResponse = [route.onResponse ?? [], this.#observer(method, route.url)].flat();
    });
  }

  #observer(method: string, route: string) {
    return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
      const isStream = request.routeOptions.config.isStream === true && reply.statusCode === 200;
      if (!isStream) this.#durations.observe({ method, route, status: reply.statusCode }, reply.elapsedTime / 1000);
      done();
    };
  }
}
