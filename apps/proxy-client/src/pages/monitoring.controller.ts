import { Controller, Get, Inject, Res } from '@nestjs/common';
import { ApiExcludeController, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ApiHostCheck, Open } from './access.guard.js';
import { Health, Stats } from './monitoring.dto.js';
import { presentHealth, presentStats } from './monitoring.presenter.js';
import { PROXY_VIEW, type ProxyView } from './proxy-view.js';

/** The two pages that the proxy's own listener has too. They have no CORS headers, so that other web pages cannot read them. */
@ApiTags('monitoring')
@ApiHostCheck()
@Controller()
export class MonitoringController {
  readonly #view: ProxyView;

  constructor(@Inject(PROXY_VIEW) view: ProxyView) {
    this.#view = view;
  }

  @Get('stats')
  @ApiOperation({ operationId: 'getStats', summary: 'Counters since the start' })
  @ApiOkResponse({ type: Stats, description: 'OK' })
  async stats(): Promise<Stats> {
    return presentStats(await this.#view.snapshot());
  }

  @Get('health')
  @ApiOperation({ operationId: 'getHealth', summary: 'Whether the proxy serves, and how well' })
  @ApiOkResponse({ type: Health, description: 'OK' })
  async health(): Promise<Health> {
    return presentHealth(await this.#view.snapshot());
  }
}

/** The page for Prometheus. It is not part of the monitoring API and its document. */
@ApiExcludeController()
@Controller('metrics')
export class MetricsController {
  readonly #view: ProxyView;

  constructor(@Inject(PROXY_VIEW) view: ProxyView) {
    this.#view = view;
  }

  @Get()
  @Open()
  async metrics(@Res() reply: FastifyReply): Promise<void> {
    const { contentType, text } = await this.#view.metrics();
    await reply.type(contentType).send(text);
  }
}
