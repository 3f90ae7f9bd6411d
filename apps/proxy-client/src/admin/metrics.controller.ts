import { Controller, Get, Inject, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';

/** What the controller needs of a Prometheus registry. */
export interface MetricsSource {
  readonly contentType: string;
  metrics(): Promise<string>;
}

/** Token of the {@link MetricsSource}. */
export const METRICS_SOURCE = Symbol('MetricsSource');

/** Prometheus scrapes it; it is no part of the monitoring API, hence not in its document. */
@ApiExcludeController()
@Controller('metrics')
export class MetricsController {
  readonly #source: MetricsSource;

  constructor(@Inject(METRICS_SOURCE) source: MetricsSource) {
    this.#source = source;
  }

  @Get()
  async metrics(@Res() reply: FastifyReply): Promise<void> {
    await reply
      .header('Cache-Control', 'no-store')
      .type(this.#source.contentType)
      .send(await this.#source.metrics());
  }
}
