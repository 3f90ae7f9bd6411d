import { Controller, Get, Inject, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { Registry } from 'prom-client';
import { METRICS_REGISTRY } from './registry.token.js';

/** For Prometheus; outside the API's prefix and document. */
@Controller('metrics')
@ApiExcludeController()
export class MetricsController {
  readonly #registry: Registry;

  constructor(@Inject(METRICS_REGISTRY) registry: Registry) {
    this.#registry = registry;
  }

  @Get()
  async metrics(@Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    void reply.type(this.#registry.contentType);
    return this.#registry.metrics();
  }
}
