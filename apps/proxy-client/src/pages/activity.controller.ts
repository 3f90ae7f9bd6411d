import {
  BadRequestException,
  Controller,
  DefaultValuePipe,
  Delete,
  Get,
  Header,
  HttpCode,
  HttpStatus,
  Inject,
  Param,
  ParseEnumPipe,
  ParseIntPipe,
  Query,
  Res,
} from '@nestjs/common';
import {
  ApiBadRequestResponse,
  ApiBearerAuth,
  ApiForbiddenResponse,
  ApiNoContentResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiProduces,
  ApiQuery,
  ApiServiceUnavailableResponse,
  ApiTags,
  ApiUnauthorizedResponse,
} from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { SORTINGS, type ConnectionSnapshot, type Sorting } from '../activity/live-connections.js';
import type { RecentFailure } from '../failure/failure-reporter.js';
import { FailureList, LiveConnectionList, type FailureEntry, type LiveConnection } from './activity.dto.js';
import { EVENT_STREAMS, type EventStreams } from './event-streams.js';
import { FOREIGN_HOST, NO_STORE, NO_TOKEN } from './monitoring.controller.js';
import { answerText } from './page-gate.js';
import { PROXY_VIEW, type ProxyView } from './proxy-view.js';

const ORDERS = ['asc', 'desc'] as const;
type Order = (typeof ORDERS)[number];
const MAX_SHOWN = 1000;
const SHOWN = 100;
/** Longer than any host name. */
const MAX_FIND = 256;
const TEXT = { 'text/plain': { schema: { type: 'string' } } };

/** What goes on: connections that are in use, what failed, and events. */
@ApiTags('activity')
@ApiBearerAuth()
@ApiUnauthorizedResponse(NO_TOKEN)
@ApiForbiddenResponse(FOREIGN_HOST)
@Controller()
export class ActivityController {
  readonly #view: ProxyView;
  readonly #events: EventStreams;

  constructor(@Inject(PROXY_VIEW) view: ProxyView, @Inject(EVENT_STREAMS) events: EventStreams) {
    this.#view = view;
    this.#events = events;
  }

  @Get('connections')
  @Header(...NO_STORE)
  @ApiOperation({
    operationId: 'getConnections',
    summary: 'The requests and tunnels of the moment',
    description: 'Connections that wait for a request are not among them.',
  })
  @ApiQuery({ name: 'sort', enum: SORTINGS, required: false, schema: { default: 'age' } })
  @ApiQuery({ name: 'order', enum: ORDERS, required: false, schema: { default: 'desc' } })
  @ApiQuery({
    name: 'limit',
    required: false,
    schema: { type: 'integer', minimum: 1, maximum: MAX_SHOWN, default: SHOWN },
  })
  @ApiQuery({
    name: 'find',
    required: false,
    description: 'Only those whose target, upstream or user contains it, in whatever case.',
    schema: { type: 'string', maxLength: MAX_FIND },
  })
  @ApiOkResponse({ type: LiveConnectionList, description: 'OK' })
  @ApiBadRequestResponse({ description: 'A parameter is none of what it may be.' })
  async connections(
    @Query('sort', new DefaultValuePipe('age'), new ParseEnumPipe(SORTINGS)) sort: Sorting,
    @Query('order', new DefaultValuePipe('desc'), new ParseEnumPipe(ORDERS)) order: Order,
    @Query('limit', new DefaultValuePipe(SHOWN), ParseIntPipe) limit: number,
    @Query('find') find?: unknown,
  ): Promise<LiveConnectionList> {
    if (limit < 1 || limit > MAX_SHOWN) throw new BadRequestException(`limit must be from 1 to ${MAX_SHOWN}`);
    if (!isShortText(find)) throw new BadRequestException(`find must stand once, with at most ${MAX_FIND} characters`);
    const { total, found, connections } = await this.#view.connections({ sort, order, limit, find });
    return { total, found, connections: connections.map(presentConnection) };
  }

  @Delete('connections/:id')
  @HttpCode(HttpStatus.NO_CONTENT)
  @Header(...NO_STORE)
  @ApiOperation({
    operationId: 'endConnection',
    summary: 'Ends a connection',
    description:
      'Both sides are reset, so that nobody takes what was cut for a whole. Refused to pages of other origins.',
  })
  @ApiParam({ name: 'id', description: 'As GET /connections shows it.' })
  @ApiNoContentResponse({ description: 'It was ended.' })
  @ApiNotFoundResponse({ description: 'There is none of that id: it may have ended by itself.', content: TEXT })
  async endConnection(
    @Param('id') id: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string | undefined> {
    if (await this.#view.endConnection(id)) return undefined;
    void reply.status(HttpStatus.NOT_FOUND).type('text/plain; charset=utf-8');
    return 'There is no such connection: it may have ended by itself.\n';
  }

  @Get('failures')
  @Header(...NO_STORE)
  @ApiOperation({ operationId: 'getFailures', summary: 'The last requests that failed, each with what to check' })
  @ApiOkResponse({ type: FailureList, description: 'OK' })
  async failures(): Promise<FailureList> {
    return { failures: (await this.#view.failures()).map(presentFailure) };
  }

  @Get('events')
  @ApiOperation({
    operationId: 'getEvents',
    summary: 'What happens, as server-sent events',
    description:
      'stats once a second (as GET /stats), upstream when one has come into another state ({ name, from, to }), reload when the ' +
      'configuration was read anew ({ at }), end when the proxy is about to end. A reader that does not read is cut.',
  })
  @ApiProduces('text/event-stream')
  @ApiOkResponse({ description: 'Until the proxy ends.', schema: { type: 'string' } })
  @ApiServiceUnavailableResponse({
    description: 'Too many follow already, or the proxy is about to end.',
    content: TEXT,
  })
  events(@Res() reply: FastifyReply): void {
    reply.hijack();
    if (reply.request.method === 'HEAD') reply.raw.writeHead(200, { 'Content-Type': 'text/event-stream' }).end();
    else if (!this.#events.add(reply.raw)) {
      answerText(
        reply.raw,
        HttpStatus.SERVICE_UNAVAILABLE,
        'Too many follow the events, or the proxy is about to end.',
      );
    }
  }
}

function isShortText(value: unknown): value is string | undefined {
  return value === undefined || (typeof value === 'string' && value.length <= MAX_FIND);
}

function presentConnection({ startedAt, age, sent, received, ...connection }: ConnectionSnapshot): LiveConnection {
  const { id, method, target, upstream, rule = null, client = null, user = null } = connection;
  const times = { started_at: new Date(startedAt).toISOString(), age_ms: age };
  return { id, method, target, upstream, rule, client, user, ...times, bytes_sent: sent, bytes_received: received };
}

function presentFailure({ at, category, status, hint, ...failure }: RecentFailure): FailureEntry {
  const { detail = null, method = null, target = null, client = null, user = null } = failure;
  return { at: at.toISOString(), category, status, hint, detail, method, target, client, user };
}
