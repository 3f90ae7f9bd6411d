import { setTimeout as delay } from 'node:timers/promises';
import { Controller, Get, Global, Injectable, Module, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { CommitObservation, Ledger } from '#ledger-gateway';
import { PROGRAM_LOG, type ProgramLog } from '#logging';
import { createMetricsRegistry } from '#metrics';
import { Needs } from '../access/access.decorators.js';
import { KnownHeight } from './known-height.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The response lasts until the client closes it, so its time is not a request's duration. */
    isStream?: boolean;
  }
}

/**
 * Request durations by method, route and status, measured by a hook: an interceptor would see neither refusals nor unknown
 * paths. Unknown paths share one label, so that clients cannot create time series.
 */
@Injectable()
export class RequestMetrics {
  readonly #durations: Histogram<'method' | 'route' | 'status'>;
  /** The series of routes that had requests, by status: a lookup by labels would build and hash them for each request. */
  readonly #series = new WeakMap<object, Map<number, Series>>();

  constructor(registry: Registry) {
    this.#durations = new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Time from the request head to the end of the answer.',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
      registers: [registry],
    });
  }

  /** Measures requests to every route that is registered later, and those that match none. */
  watch(instance: FastifyInstance): void {
    instance.addHook('onResponse', (request, reply, done) => {
      const { config } = request.routeOptions;
      const { statusCode } = reply;
      const isOpenStream = config.isStream === true && statusCode === 200;
      if (!isOpenStream) this.#seriesOf(request, config, statusCode).observe(reply.elapsedTime / 1000);
      done();
    });
  }

  #seriesOf(request: FastifyRequest, config: object, status: number): Series {
    // The route of a refused method is that of unknown paths.
    const route = request.otherRoute ?? config;
    const known = this.#series.get(route) ?? new Map<number, Series>();
    if (known.size === 0) this.#series.set(route, known);
    const series = known.get(status) ?? this.#durations.labels({ ...labelsOf(request), status });
    known.set(status, series);
    return series;
  }
}

type Series = ReturnType<Histogram<'method' | 'route' | 'status'>['labels']>;

function labelsOf({ routeOptions, otherRoute, is404 }: FastifyRequest): {
  readonly method: string;
  readonly route: string;
} {
  if (otherRoute?.url !== undefined) return { method: 'other', route: otherRoute.url };
  if (is404) return { method: 'any', route: 'unknown' };
  const { method, url: route = '' } = routeOptions;
  return { method: Array.isArray(method) ? 'other' : method, route };
}

/** How long a scrape waits for heights, in milliseconds; those that arrive later are reported by the next one. */
const HEIGHT_WAIT_MS = 100;

/** The metrics of the ledger: height and queue, read at each scrape, and commits as they happen. */
@Injectable()
export class LedgerMetrics {
  readonly #registers: Registry[];
  readonly #commitSeconds: Histogram;
  readonly #transactions: Counter;
  readonly #blocks: Counter;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#registers = registers;
    this.#commitSeconds = new Histogram({
      name: 'ledger_commit_duration_seconds',
      help: 'Time from the oldest submit of a block to its acknowledgement.',
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    });
    const help = (what: string): string => `${what} committed since the start.`;
    this.#transactions = new Counter({ name: 'ledger_transactions_total', help: help('Transactions'), registers });
    this.#blocks = new Counter({ name: 'ledger_blocks_total', help: help('Blocks'), registers });
  }

  /** Records a commit; passed to the driver. */
  readonly observe = ({ transactions, seconds }: CommitObservation): void => {
    this.#commitSeconds.observe(seconds);
    this.#transactions.inc(transactions);
    this.#blocks.inc();
  };

  /**
   * Reports height and queue length of a ledger at each scrape, which starts a read of the height but does not wait for a
   * ledger that does not answer. An unreachable channel leaves its height out. Only channels other than the default one have
   * a label.
   */
  watch({ channels, channel: defaultChannel }: Pick<Ledger, 'channels' | 'channel'>): void {
    const labelNames = ['channel'] as const;
    const labelled = [...channels.values()].map((channel) => {
      const labels = channel.channel === defaultChannel ? {} : { channel: channel.channel };
      return { channel, labels, known: new KnownHeight(channel) };
    });
    const read = async (): Promise<void> => {
      const reads = Promise.all(labelled.map(({ known }) => known.read()));
      await Promise.race([reads, delay(HEIGHT_WAIT_MS, undefined, { ref: false })]);
    };
    new Gauge({
      name: 'ledger_height',
      help: 'Number of blocks of the channel.',
      labelNames,
      registers: this.#registers,
      async collect() {
        await read();
        for (const { labels, known } of labelled) {
          if (known.value === undefined) this.remove(labels);
          else this.set(labels, known.value);
        }
      },
    });
    new Gauge({
      name: 'ledger_height_age_seconds',
      help: 'Time since the height was read from the ledger.',
      labelNames,
      registers: this.#registers,
      async collect() {
        await read();
        for (const { labels, known } of labelled) this.set(labels, known.age);
      },
    });
    new Gauge({
      name: 'ledger_queue_length',
      help: 'Submitted transactions that wait for their commit.',
      labelNames,
      registers: this.#registers,
      collect() {
        for (const { channel, labels } of labelled) this.set(labels, channel.queueLength());
      },
    });
    const indexed = labelled.filter(({ channel }) => channel.indexState?.() !== undefined);
    if (indexed.length === 0) return;
    new Gauge({
      name: 'ledger_index_progress',
      help: 'Part of the chain that the index of the channel has, from 0 to 1.',
      labelNames,
      registers: this.#registers,
      collect() {
        for (const { channel, labels } of indexed) this.set(labels, channel.indexState?.()?.progress ?? 0);
      },
    });
    new Gauge({
      name: 'ledger_index_ready',
      help: 'Whether lists are read from the index of the channel (1), not from the newest blocks (0).',
      labelNames,
      registers: this.#registers,
      collect() {
        for (const { channel, labels } of indexed) {
          const status = channel.indexState?.()?.status;
          this.set(labels, status === 'ready' || status === 'reading' ? 1 : 0);
        }
      },
    });
  }
}

/** The Prometheus endpoint, outside the API's prefix and document. */
@Controller('metrics')
@Needs('reader')
@ApiExcludeController()
export class MetricsController {
  constructor(private readonly registry: Registry) {}

  @Get()
  @RouteConfig({ readsNoLedger: true, roleOn: 'every channel' })
  async metrics(@Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    void reply.type(this.registry.contentType);
    return this.registry.metrics();
  }
}

/** Provides the metrics of the process, and serves them at /metrics for Prometheus. */
@Global()
@Module({
  controllers: [MetricsController],
  providers: [
    {
      provide: Registry,
      inject: [PROGRAM_LOG],
      useFactory: ({ destination }: ProgramLog): Promise<Registry> => createMetricsRegistry(destination),
    },
    LedgerMetrics,
    RequestMetrics,
  ],
  exports: [Registry, LedgerMetrics, RequestMetrics],
})
export class MetricsModule {}
