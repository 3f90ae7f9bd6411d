import { Controller, Get, HttpStatus, Inject, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiServiceUnavailableResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ApiAccessChecks, ApiHostCheck } from '../api/documentation.js';
import { Readiness, UpstreamList } from '../api/responses.js';
import { Open } from './access.guard.js';
import { PROXY_VIEW, type RemoteView } from './proxy-view.js';

/** The pages about the upstreams. */
@ApiTags('upstreams')
@Controller()
export class UpstreamsController {
  readonly #view: RemoteView;

  constructor(@Inject(PROXY_VIEW) view: RemoteView) {
    this.#view = view;
  }

  @Get('upstreams')
  @ApiAccessChecks()
  @ApiOperation({
    operationId: 'getUpstreams',
    summary: 'The upstreams and groups of the configuration, with their state',
  })
  @ApiOkResponse({ type: UpstreamList, description: 'OK' })
  async upstreams(): Promise<UpstreamList> {
    return this.#view.upstreams();
  }

  @Get('readyz')
  @Open()
  @ApiHostCheck()
  @ApiOperation({
    operationId: 'getReadiness',
    summary: 'Whether an upstream works',
    description: 'They are probed if none has accepted the proxy within the last second.',
  })
  @ApiOkResponse({ type: Readiness, description: 'An upstream accepts the proxy.' })
  @ApiServiceUnavailableResponse({ type: Readiness, description: 'No upstream accepts the proxy.' })
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<Readiness> {
    if (await this.#view.ready()) return { status: 'ready' };
    void reply.status(HttpStatus.SERVICE_UNAVAILABLE);
    return { status: 'no upstream works' };
  }
}
