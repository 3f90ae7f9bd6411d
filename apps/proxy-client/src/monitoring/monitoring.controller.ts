import { Controller, Get, Header } from '@nestjs/common';
import { ApiForbiddenResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ProxyStats } from '#metrics';
import { Health } from './dto/health.dto.js';
import { Stats } from './dto/stats.dto.js';
import { presentHealth, presentStats } from './monitoring.presenter.js';

const NO_STORE = ['Cache-Control', 'no-store'] as const;
const FOREIGN_HOST = {
  description: 'The Host header names neither an address nor localhost nor one of listen.allowedHosts.',
  content: { 'text/plain': { schema: { type: 'string' } } },
};

/** The two pages of the proxy's own. They carry no CORS headers: a web page must not read them. */
@ApiTags('monitoring')
@Controller()
export class MonitoringController {
  readonly #stats: ProxyStats;

  constructor(stats: ProxyStats) {
    this.#stats = stats;
  }

  @Get('stats')
  @Header(...NO_STORE)
  @ApiOperation({ operationId: 'getStats', summary: 'Counters since the start' })
  @ApiOkResponse({ type: Stats, description: 'OK' })
  @ApiForbiddenResponse(FOREIGN_HOST)
  stats(): Stats {
    return presentStats(this.#stats.snapshot());
  }

  @Get('health')
  @Header(...NO_STORE)
  @ApiOperation({ operationId: 'getHealth', summary: 'Whether the proxy serves, and how well' })
  @ApiOkResponse({ type: Health, description: 'OK' })
  @ApiForbiddenResponse(FOREIGN_HOST)
  health(): Health {
    return presentHealth(this.#stats.snapshot());
  }
}
