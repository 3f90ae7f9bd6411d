import { applyDecorators, Controller, Get, HttpStatus, Inject, NotFoundException, Req, Res } from '@nestjs/common';
import {
  ApiExcludeEndpoint,
  ApiInternalServerErrorResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiServiceUnavailableResponse,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiAccessChecks, ApiHostCheck, TEXT } from './api/documentation.js';
import { Health, ListenerList, Stats } from './api/monitoring.responses.js';
import { Readiness } from './api/upstreams.responses.js';
import { PAC_TYPE } from '../listener/own-pages.js';
import { ACCESS_RULES, Open } from './access.guard.js';
import type { AccessRules } from './access-rules.js';
import { PROXY_VIEW, type RemoteView } from './remote-view.js';

/** Documents a page that the proxy's own HTTP listeners have too. */
const ApiMonitoring = (): MethodDecorator =>
  applyDecorators(
    ApiTags('monitoring'),
    ApiHostCheck(),
    ApiNotFoundResponse({
      description: 'On the admin listener, while no listener has the mode http or mixed.',
      content: TEXT,
    }),
  );

/** The pages about the state of the proxy. They have no CORS headers, so that other web pages cannot read them. */
@Controller()
export class MonitoringController {
  readonly #view: RemoteView;
  readonly #rules: () => AccessRules;

  constructor(@Inject(PROXY_VIEW) view: RemoteView, @Inject(ACCESS_RULES) rules: () => AccessRules) {
    this.#view = view;
    this.#rules = rules;
  }

  @Get('stats')
  @ApiMonitoring()
  @ApiOperation({ operationId: 'getStats', summary: 'Counters since the start' })
  @ApiOkResponse({ type: Stats, description: 'OK' })
  async stats(): Promise<Stats> {
    this.#requireHttpMode();
    return this.#view.stats();
  }

  @Get('health')
  @ApiMonitoring()
  @ApiOperation({ operationId: 'getHealth', summary: 'Whether the proxy serves, and how well' })
  @ApiOkResponse({ type: Health, description: 'OK' })
  async health(): Promise<Health> {
    this.#requireHttpMode();
    return this.#view.health();
  }

  @Get('listeners')
  @ApiTags('listeners')
  @ApiAccessChecks()
  @ApiOperation({ operationId: 'getListeners', summary: 'The listeners for clients' })
  @ApiOkResponse({ type: ListenerList, description: 'OK' })
  async listeners(): Promise<ListenerList> {
    return this.#view.listeners();
  }

  @Get('proxy.pac')
  @Open('if the PAC file is open')
  @ApiTags('browsers')
  @ApiAccessChecks()
  @ApiOperation({
    operationId: 'getProxyPac',
    summary: 'The proxy auto-configuration file of the rules',
    description:
      'Names the first listener with pac: true, else the first that accepts HTTP. Returns DIRECT for what the rules connect directly, ' +
      'as far as a browser can evaluate them, else the proxy. A listener with pac: true serves it too, and then no token is required.',
  })
  @ApiOkResponse({ description: 'OK', content: { [PAC_TYPE]: { schema: { type: 'string' } } } })
  @ApiNotFoundResponse({ description: 'No listener accepts HTTP.', content: TEXT })
  @ApiInternalServerErrorResponse({
    description: 'The file would be longer than browsers read (1 MiB).',
    content: TEXT,
  })
  async pac(@Req() { headers }: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { status, type, text } = await this.#view.pac(headers.host);
    // As bytes: for a string Fastify would add a charset to the type.
    await reply.status(status).header('Content-Type', type).send(Buffer.from(text));
  }

  @Get('readyz')
  @Open()
  @ApiTags('upstreams')
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

  /** The page for Prometheus, which is not part of the monitoring API. */
  @Get('metrics')
  @Open()
  @ApiExcludeEndpoint()
  async metrics(@Res() reply: FastifyReply): Promise<void> {
    const { contentType, text } = await this.#view.metrics();
    await reply.type(contentType).send(text);
  }

  #requireHttpMode(): void {
    if (!this.#rules().hasMonitoring) throw new NotFoundException();
  }
}
