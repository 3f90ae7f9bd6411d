import { Controller, Get, Header, Inject, Res } from '@nestjs/common';
import { ApiExcludeController, ApiForbiddenResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Health, Stats } from './monitoring.dto.js';
import { presentHealth, presentStats } from './monitoring.presenter.js';
import { PROXY_VIEW, type ProxyView } from './proxy-view.js';

/** The header of pages that are true for a moment only. */
export const NO_STORE = ['Cache-Control', 'no-store'] as const;
/** How a page is refused under a name that is not this machine's. */
export const FOREIGN_HOST = {
  description: 'The Host header names neither an address nor localhost nor one of listen.allowedHosts.',
  content: { 'text/plain': { schema: { type: 'string' } } },
};

/** How a page is refused without the token, where one is asked for. */
export const NO_TOKEN = {
  description: 'The admin listener asks for a token, which is in the file that the log names, or is admin.token.',
  content: { 'text/plain': { schema: { type: 'string' } } },
};

/** The two pages that the proxy's own listener has too. They carry no CORS headers: a web page must not read them. */
@ApiTags('monitoring')
@Controller()
export class MonitoringController {
  readonly #view: ProxyView;

  constructor(@Inject(PROXY_VIEW) view: ProxyView) {
    this.#view = view;
  }

  @Get('stats')
  @Header(...NO_STORE)
  @ApiOperation({ operationId: 'getStats', summary: 'Counters since the start' })
  @ApiOkResponse({ type: Stats, description: 'OK' })
  @ApiForbiddenResponse(FOREIGN_HOST)
  async stats(): Promise<Stats> {
    return presentStats(await this.#view.snapshot());
  }

  @Get('health')
  @Header(...NO_STORE)
  @ApiOperation({ operationId: 'getHealth', summary: 'Whether the proxy serves, and how well' })
  @ApiOkResponse({ type: Health, description: 'OK' })
  @ApiForbiddenResponse(FOREIGN_HOST)
  async health(): Promise<Health> {
    return presentHealth(await this.#view.snapshot());
  }
}

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
