import { Controller, Delete, Get, HttpCode, HttpStatus, Inject, Param, Query, Req, Res } from '@nestjs/common';
import {
  ApiNoContentResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiProduces,
  ApiServiceUnavailableResponse,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiAccessChecks, TEXT } from './api/documentation.js';
import { EndedConnections, FailureList, LiveConnectionList, Problems } from './api/activity.responses.js';
import { History, Stats } from './api/monitoring.responses.js';
import { sendText } from './access.guard.js';
import {
  ApiConnectionFilter,
  ApiConnectionQuery,
  parseConnectionFilter,
  parseConnectionQuery,
} from './connection-query.js';
import { EVENT_STREAMS, type EventStreams } from './event-streams.js';
import { PROXY_VIEW, type RemoteView } from './remote-view.js';

/** The pages about the activity of the proxy: connections, failures and events. */
@ApiTags('activity')
@ApiAccessChecks()
@Controller()
export class ActivityController {
  readonly #view: RemoteView;
  readonly #events: EventStreams;

  constructor(@Inject(PROXY_VIEW) view: RemoteView, @Inject(EVENT_STREAMS) events: EventStreams) {
    this.#view = view;
    this.#events = events;
  }

  @Get('connections')
  @ApiOperation({
    operationId: 'getConnections',
    summary: 'The requests and tunnels in progress, or the last 500 that have ended',
    description:
      'Without connections that wait for a request, and requests that were refused before they had an upstream.',
  })
  @ApiConnectionQuery()
  @ApiOkResponse({ type: LiveConnectionList, description: 'OK' })
  async connections(@Query() query: Readonly<Record<string, unknown>>): Promise<LiveConnectionList> {
    return this.#view.connections(parseConnectionQuery(query));
  }

  @Delete('connections')
  @ApiOperation({
    operationId: 'endConnections',
    summary: 'Ends all connections in progress that match the filters',
    description: 'As DELETE /connections/{id}. Without filters it ends all.',
  })
  @ApiConnectionFilter()
  @ApiOkResponse({ type: EndedConnections, description: 'They were ended.' })
  async endConnections(
    @Query() query: Readonly<Record<string, unknown>>,
    @Req() request: FastifyRequest,
  ): Promise<EndedConnections> {
    const filter = parseConnectionFilter(query);
    return { ended: await this.#view.endConnections(filter, request.ip) };
  }

  @Delete('connections/:id')
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiOperation({
    operationId: 'endConnection',
    summary: 'Ends a connection',
    description:
      'Both sides are reset, so that a truncated response is not taken for a complete one. Refused to pages of other origins.',
  })
  @ApiParam({ name: 'id', description: 'The id of GET /connections.' })
  @ApiNoContentResponse({ description: 'It was ended.' })
  @ApiNotFoundResponse({ description: 'No connection has this id; it may have ended.', content: TEXT })
  async endConnection(
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (await this.#view.endConnection(id, request.ip)) await reply.send();
    else sendText(reply, HttpStatus.NOT_FOUND, 'There is no such connection; it may have ended.');
  }

  @Get('failures')
  @ApiOperation({
    operationId: 'getFailures',
    summary: 'The last requests that failed, each with what to check, and those that a rule rejected',
  })
  @ApiOkResponse({ type: FailureList, description: 'OK' })
  async failures(): Promise<FailureList> {
    return this.#view.failures(0);
  }

  @Get('history')
  @ApiOperation({ operationId: 'getHistory', summary: 'Traffic and failures of the last hour, in intervals of 10 s' })
  @ApiOkResponse({ type: History, description: 'OK' })
  async history(): Promise<History> {
    return this.#view.history();
  }

  @Get('events')
  @ApiOperation({
    operationId: 'getEvents',
    summary: 'Server-sent events',
    description:
      'stats once a second (as GET /stats), problems once a second (Problems), upstream when one has changed its state ({ name, from, to }), ' +
      'ask when a request waits for an answer (Question), answered when its question has ended ({ id, target }), reload after a reload of the configuration ({ at }), end before the proxy exits. The connection of a reader that does not read is closed.',
  })
  @ApiProduces('text/event-stream')
  @ApiOkResponse({
    description: 'Until the proxy exits.',
    schema: { anyOf: [Stats, Problems].map((it) => ({ $ref: getSchemaPath(it) })) },
  })
  @ApiServiceUnavailableResponse({
    description: 'There are too many readers, or the proxy is about to exit.',
    content: TEXT,
  })
  events(@Res() reply: FastifyReply): void {
    if (reply.request.method === 'HEAD') void reply.type('text/event-stream').send();
    else if (this.#events.add(reply.raw)) reply.hijack();
    else sendText(reply, HttpStatus.SERVICE_UNAVAILABLE, 'There are too many readers, or the proxy is about to exit.');
  }
}
