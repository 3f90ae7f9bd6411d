import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Histogram, Registry } from 'prom-client';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What this route answers goes on as long as the client likes: that is no duration of a request. */
    isStream?: boolean;
  }
}

/**
 * Durations of requests by method, route and status. Each route gets a hook of its own when it is registered, since an
 * interceptor would see handlers only, neither refusals nor unknown paths. Those share one name: strangers cannot make
 * time series.
 */
@Injectable()
export class RequestMetrics {
  readonly #durations: Histogram<'method' | 'route' | 'status'>;

  constructor(registry: Registry) {
    this.#durations = new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Time from the head of a request to the end of its answer.',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
      registers: [registry],
    });
  }

  /** Measures every route that is registered from now on, and the requests that match none. */
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
