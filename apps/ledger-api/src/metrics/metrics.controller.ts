import { Controller, Get, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Registry } from 'prom-client';
import { Needs } from '../callers/access.decorators.js';

/** For Prometheus; outside the API's prefix and document. */
@Controller('metrics')
@Needs('reader')
@ApiExcludeController()
export class MetricsController {
  readonly #registry: Registry;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  @Get()
  async metrics(@Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    void reply.type(this.#registry.contentType);
    return this.#registry.metrics();
  }
}
