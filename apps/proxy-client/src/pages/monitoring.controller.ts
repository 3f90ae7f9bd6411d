import { Controller, Get, Inject, NotFoundException, Res } from '@nestjs/common';
import { ApiExcludeController, ApiNotFoundResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { ProxyStatsSnapshot } from '#metrics';
import { ACCESS_RULES, ApiHostCheck, Open, TEXT } from './access.guard.js';
import type { AccessRules } from './access-rules.js';
import { Health, Stats } from './monitoring.dto.js';
import { presentHealth, presentStats } from './monitoring.presenter.js';
import { PROXY_VIEW, type ProxyView } from './proxy-view.js';

/**
 * The two pages that the proxy's own listeners have too; like there, they exist only in HTTP mode. They have no CORS headers, so that other
 * web pages cannot read them.
 */
@ApiTags('monitoring')
@ApiHostCheck()
@ApiNotFoundResponse({
  description: 'On the admin listener, while no listener has the mode http or mixed.',
  content: TEXT,
})
@Controller()
export class MonitoringController {
  readonly #view: ProxyView;
  readonly #rules: () => AccessRules;

  constructor(@Inject(PROXY_VIEW) view: ProxyView, @Inject(ACCESS_RULES) rules: () => AccessRules) {
    this.#view = view;
    this.#rules = rules;
  }

  @Get('stats')
  @ApiOperation({ operationId: 'getStats', summary: 'Counters since the start' })
  @ApiOkResponse({ type: Stats, description: 'OK' })
  async stats(): Promise<Stats> {
    return presentStats(await this.#snapshot());
  }

  @Get('health')
  @ApiOperation({ operationId: 'getHealth', summary: 'Whether the proxy serves, and how well' })
  @ApiOkResponse({ type: Health, description: 'OK' })
  async health(): Promise<Health> {
    return presentHealth(await this.#snapshot());
  }

  async #snapshot(): Promise<ProxyStatsSnapshot> {
    if (!this.#rules().hasMonitoring) throw new NotFoundException();
    return this.#view.snapshot();
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
