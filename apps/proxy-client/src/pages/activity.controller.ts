import {
  BadRequestException,
  Controller,
  Delete,
  Get,
  HttpCode,
  HttpStatus,
  Inject,
  Param,
  Query,
  Res,
} from '@nestjs/common';
import {
  ApiBadRequestResponse,
  ApiNoContentResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiProduces,
  ApiQuery,
  ApiServiceUnavailableResponse,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { SORTINGS, type ConnectionQuery, type ConnectionSnapshot } from '../activity/live-connections.js';
import type { RecentFailure } from '../failure/failure-reporter.js';
import { ApiAccessChecks, sendText, TEXT } from './access.guard.js';
import { FailureList, LiveConnectionList, type FailureEntry, type LiveConnection } from './activity.dto.js';
import { EVENT_STREAMS, type EventStreams } from './event-streams.js';
import { PROXY_VIEW, type ProxyView } from './proxy-view.js';

const ORDERS = ['asc', 'desc'] as const;
const MAX_LIMIT = 1000;
const DEFAULT_LIMIT = 100;
/** Longer than any host name. */
const MAX_FIND = 256;

/** The pages about the activity of the proxy: connections, failures and events. */
@ApiTags('activity')
@ApiAccessChecks()
@Controller()
export class ActivityController {
  readonly #view: ProxyView;
  readonly #events: EventStreams;

  constructor(@Inject(PROXY_VIEW) view: ProxyView, @Inject(EVENT_STREAMS) events: EventStreams) {
    this.#view = view;
    this.#events = events;
  }

  @Get('connections')
  @ApiOperation({
    operationId: 'getConnections',
    summary: 'The requests and tunnels in progress',
    description: 'Without connections that wait for a request.',
  })
  @ApiQuery({ name: 'sort', enum: SORTINGS, required: false, schema: { default: 'age' } })
  @ApiQuery({ name: 'order', enum: ORDERS, required: false, schema: { default: 'desc' } })
  @ApiQuery({
    name: 'limit',
    required: false,
    schema: { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT },
  })
  @ApiQuery({
    name: 'find',
    required: false,
    description: 'Only connections whose target, upstream or user contains this text; case is ignored.',
    schema: { type: 'string', maxLength: MAX_FIND },
  })
  @ApiOkResponse({ type: LiveConnectionList, description: 'OK' })
  @ApiBadRequestResponse({ description: 'A parameter is unknown or invalid.', content: TEXT })
  async connections(@Query() query: Readonly<Record<string, unknown>>): Promise<LiveConnectionList> {
    const { total, found, connections } = await this.#view.connections(parseQuery(query));
    return { total, found, connections: connections.map(presentConnection) };
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
  async endConnection(@Param('id') id: string, @Res() reply: FastifyReply): Promise<void> {
    if (await this.#view.endConnection(id)) await reply.send();
    else sendText(reply, HttpStatus.NOT_FOUND, 'There is no such connection; it may have ended.');
  }

  @Get('failures')
  @ApiOperation({ operationId: 'getFailures', summary: 'The last requests that failed, each with what to check' })
  @ApiOkResponse({ type: FailureList, description: 'OK' })
  async failures(): Promise<FailureList> {
    return { failures: (await this.#view.failures()).map(presentFailure) };
  }

  @Get('events')
  @ApiOperation({
    operationId: 'getEvents',
    summary: 'Server-sent events',
    description:
      'stats once a second (as GET /stats), upstream when one has changed its state ({ name, from, to }), reload after a reload of the ' +
      'configuration ({ at }), end before the proxy exits. The connection of a reader that does not read is closed.',
  })
  @ApiProduces('text/event-stream')
  @ApiOkResponse({ description: 'Until the proxy exits.', schema: { type: 'string' } })
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

/** @throws BadRequestException for an unknown, repeated or invalid parameter */
function parseQuery({
  sort = 'age',
  order = 'desc',
  limit,
  find,
  ...unknown
}: Readonly<Record<string, unknown>>): ConnectionQuery {
  if (Object.keys(unknown).length > 0)
    throw new BadRequestException('Known parameters are sort, order, limit and find.');
  if (find !== undefined && (typeof find !== 'string' || find.length > MAX_FIND)) {
    throw new BadRequestException(`find must appear once, with at most ${MAX_FIND} characters.`);
  }
  return {
    sort: oneOf('sort', sort, SORTINGS),
    order: oneOf('order', order, ORDERS),
    limit: parseLimit(limit),
    find,
  };
}

function parseLimit(value: unknown = String(DEFAULT_LIMIT)): number {
  const limit = typeof value === 'string' && /^\d{1,4}$/.test(value) ? Number(value) : 0;
  if (limit < 1 || limit > MAX_LIMIT) throw new BadRequestException(`limit must be a number from 1 to ${MAX_LIMIT}.`);
  return limit;
}

function oneOf<Choice extends string>(name: string, value: unknown, choices: readonly Choice[]): Choice {
  const choice = choices.find((each) => each === value);
  if (choice === undefined) throw new BadRequestException(`${name} must be one of ${choices.join(', ')}.`);
  return choice;
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
