import { Controller, Get, Inject, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { PROXY_VIEW, type ProxyView } from './proxy-view.js';

/** Prometheus scrapes it; it is no part of the monitoring API, hence not in its document. */
@ApiExcludeController()
@Controller('metrics')
export class MetricsController {
  readonly #view: ProxyView;

  constructor(@Inject(PROXY_VIEW) view: ProxyView) {
    this.#view = view;
  }

  @Get()
  async metrics(@Res() reply: FastifyReply): Promise<void> {
    const { contentType, text } = await this.#view.metrics();
    await reply.header('Cache-Control', 'no-store').type(contentType).send(text);
  }
}
