import { Controller, Get, Global, Module, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import { Registry } from 'prom-client';
import { PROGRAM_LOG, type ProgramLog } from '#logging';
import { createMetricsRegistry } from '#metrics';
import { Needs } from '../access/access.decorators.js';
import { LedgerMetrics } from './ledger-metrics.js';
import { RequestMetrics } from './request-metrics.js';

/** The Prometheus endpoint, outside the API's prefix and document. */
@Controller('metrics')
@Needs('reader')
@ApiExcludeController()
export class MetricsController {
  readonly #registry: Registry;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  @Get()
  @RouteConfig({ readsNoLedger: true })
  async metrics(@Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    void reply.type(this.#registry.contentType);
    return this.#registry.metrics();
  }
}

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
