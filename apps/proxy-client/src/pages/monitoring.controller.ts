import { Controller, Get, Inject, NotFoundException, Res } from '@nestjs/common';
import { ApiExcludeController, ApiNotFoundResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ApiHostCheck, TEXT } from '../api/documentation.js';
import { Health, Stats } from '../api/responses.js';
import { ACCESS_RULES, Open } from './access.guard.js';
import type { AccessRules } from './access-rules.js';
import { PROXY_VIEW, type RemoteView } from './proxy-view.js';

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
  readonly #view: RemoteView;
  readonly #rules: () => AccessRules;

  constructor(@Inject(PROXY_VIEW) view: RemoteView, @Inject(ACCESS_RULES) rules: () => AccessRules) {
    this.#view = view;
    this.#rules = rules;
  }

  @Get('stats')
  @ApiOperation({ operationId: 'getStats', summary: 'Counters since the start' })
  @ApiOkResponse({ type: Stats, description: 'OK' })
  async stats(): Promise<Stats> {
    this.#requireHttpMode();
    return this.#view.stats();
  }

  @Get('health')
  @ApiOperation({ operationId: 'getHealth', summary: 'Whether the proxy serves, and how well' })
  @ApiOkResponse({ type: Health, description: 'OK' })
  async health(): Promise<Health> {
    this.#requireHttpMode();
    return this.#view.health();
  }

  #requireHttpMode(): void {
    if (!this.#rules().hasMonitoring) throw new NotFoundException();
  }
}

/** The page for Prometheus. It is not part of the monitoring API and its document. */
@ApiExcludeController()
@Controller('metrics')
export class MetricsController {
  readonly #view: RemoteView;

  constructor(@Inject(PROXY_VIEW) view: RemoteView) {
    this.#view = view;
  }

  @Get()
  @Open()
  async metrics(@Res() reply: FastifyReply): Promise<void> {
    const { contentType, text } = await this.#view.metrics();
    await reply.type(contentType).send(text);
  }
}
