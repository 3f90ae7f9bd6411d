import { Controller, Get, Header, HttpCode, HttpStatus, Inject, Res } from '@nestjs/common';
import {
  ApiForbiddenResponse,
  ApiOkResponse,
  ApiOperation,
  ApiServiceUnavailableResponse,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { GroupSnapshot, ServerSnapshot } from '../upstream/upstreams.js';
import { FOREIGN_HOST, NO_STORE } from './monitoring.controller.js';
import { PROXY_VIEW, type ProxyView } from './proxy-view.js';
import { Readiness, UpstreamList, type GroupStatus, type UpstreamStatus } from './upstreams.dto.js';

/** How the upstreams do. */
@ApiTags('upstreams')
@Controller()
export class UpstreamsController {
  readonly #view: ProxyView;

  constructor(@Inject(PROXY_VIEW) view: ProxyView) {
    this.#view = view;
  }

  @Get('upstreams')
  @Header(...NO_STORE)
  @ApiOperation({
    operationId: 'getUpstreams',
    summary: 'The upstreams and groups of the configuration, and how they do',
  })
  @ApiOkResponse({ type: UpstreamList, description: 'OK' })
  @ApiForbiddenResponse(FOREIGN_HOST)
  async upstreams(): Promise<UpstreamList> {
    const { servers, groups } = await this.#view.upstreams();
    return { upstreams: servers.map(presentServer), groups: groups.map(presentGroup) };
  }

  @Get('readyz')
  @HttpCode(HttpStatus.OK)
  @Header(...NO_STORE)
  @ApiOperation({
    operationId: 'getReadiness',
    summary: 'Whether an upstream works',
    description: 'They are tried for it when none has let the proxy in within the last second.',
  })
  @ApiOkResponse({ type: Readiness, description: 'One of them lets the proxy in.' })
  @ApiServiceUnavailableResponse({ type: Readiness, description: 'None of them does.' })
  @ApiForbiddenResponse(FOREIGN_HOST)
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
