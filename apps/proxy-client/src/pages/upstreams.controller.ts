import { Controller, Get, HttpStatus, Inject, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiServiceUnavailableResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { GroupSnapshot, ServerSnapshot } from '../upstream/upstreams.js';
import { ApiAccessChecks, ApiHostCheck, Open } from './access.guard.js';
import { PROXY_VIEW, type ProxyView } from './proxy-view.js';
import { Readiness, UpstreamList, type GroupStatus, type UpstreamStatus } from './upstreams.dto.js';

/** The pages about the upstreams. */
@ApiTags('upstreams')
@Controller()
export class UpstreamsController {
  readonly #view: ProxyView;

  constructor(@Inject(PROXY_VIEW) view: ProxyView) {
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
    const { servers, groups } = await this.#view.upstreams();
    return { upstreams: servers.map(presentServer), groups: groups.map(presentGroup) };
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

function presentServer(server: ServerSnapshot): UpstreamStatus {
  const { lastFailure, latency } = server;
  return {
    name: server.name,
    address: server.address ?? null,
    state: server.state,
    suspect: server.suspect === true,
    since: server.since.toISOString(),
    latency_ms: latency === undefined ? null : Math.round(latency * 10) / 10,
    checked_at: server.checkedAt?.toISOString() ?? null,
    last_failure: lastFailure === undefined ? null : { ...lastFailure, at: lastFailure.at.toISOString() },
    connections_opened: server.opened,
    connections_failed: server.failed,
  };
}

function presentGroup({ name, pick, members, failovers }: GroupSnapshot): GroupStatus {
  return { name, pick, members, failovers };
}
