import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Registry } from 'prom-client';
import { DurationHistogram } from './duration-histogram.js';

type Observe = (status: number, milliseconds: number) => void;

/**
 * Durations of requests by method, route and status. Each route gets an observer of its own when it is registered, so
 * that a request looks nothing up but its status. Unknown paths share one name: strangers cannot make time series.
 */
export class RequestMetrics {
  readonly #histogram: DurationHistogram;

  constructor(registry: Registry) {
    this.#histogram = new DurationHistogram(
      {
        name: 'http_request_duration_seconds',
        help: 'Time from the head of a request to the end of its answer.',
        bounds: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
      },
      registry,
    );
  }

  /** Measures every route that is registered from now on, and the requests that match none. */
  watch(instance: FastifyInstance): void {
    const unknown = this.#observer('any', 'unknown');
    instance.addHook('onResponse', (request, reply, done) => {
      if (request.is404) unknown(reply.statusCode, reply.elapsedTime);
      done();
    });
    instance.addHook('onRoute', (route) => {
      const method = Array.isArray(route.method) ? 'other' : route.method;
      const observe = this.#observer(method, route.url);
      const hook = (_request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
        observe(reply.statusCode, reply.elapsedTime);
        done();
      };
      route.onResponse = [route.onResponse ?? [], hook].flat();
    });
  }

  #observer(method: string, route: string): Observe {
    const byStatus = new Map<number, (seconds: number) => void>();
    return (status, milliseconds) => {
      let observe = byStatus.get(status);
      if (observe === undefined) {
        observe = this.#histogram.series({ method, route, status: String(status) });
        byStatus.set(status, observe);
      }
      observe(milliseconds / 1000);
    };
  }
}
