import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Histogram, type Registry } from 'prom-client';

type Labels = 'method' | 'route' | 'status';
type Observe = (status: number, milliseconds: number) => void;

/**
 * Durations of requests by method, route and status. Each route gets an observer of its own when it is registered, and
 * the labelled children are taken from the histogram once and kept: prom-client hashes the labels at each unbound
 * observation. Unknown paths share one name, so that strangers cannot make time series.
 */
export class RequestMetrics {
  readonly #histogram: Histogram<Labels>;

  constructor(registry: Registry) {
    this.#histogram = new Histogram({
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
    const byStatus = new Map<number, Histogram.Internal<Labels>>();
    return (status, milliseconds) => {
      let bound = byStatus.get(status);
      if (bound === undefined) {
        bound = this.#histogram.labels({ method, route, status: String(status) });
        byStatus.set(status, bound);
      }
      bound.observe(milliseconds / 1000);
    };
  }
}
